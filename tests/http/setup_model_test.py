#!/usr/bin/env python3
"""engram setup-model against a server on this machine that speaks as Ollama does, and one that doesn't."""
import json
import os
import stat
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import engram, web
from support.engram import expect, expect_words

KEY = "sk-canary-0123456789"


def embed(request):
    texts = request.json()["input"]
    return web.Page(json.dumps({"embeddings": [[1.0, 0.0] * 8 if "7411" in t or "port" in t else [0.0, 1.0] * 8 for t in texts]}),
                    type="application/json")


def config(world):
    return os.path.join(world.home, ".config", "engram", "config")


def read(world):
    with open(config(world), encoding="utf-8") as file:
        return file.read()


def write(world, text):
    os.makedirs(os.path.dirname(config(world)), exist_ok=True)
    with open(config(world), "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(config(world), 0o600)


def setup(world, *arguments, **more):
    return world.run("--json", "setup-model", *arguments, **more)


@engram.promise
def providers_are_listed_with_the_models_that_they_have_by_default(world):
    code, out, err = setup(world)
    expect(code == 0, err)
    listed = {row.pop("provider"): row for row in json.loads(out)["providers"]}
    expect(listed["ollama"] == {"embed": "embeddinggemma", "llm": "qwen3:4b"}, listed)
    expect(listed["vllm"] == {"embed": "", "rerank": "", "llm": ""}, listed)
    plain = world.run("setup-model")[1]
    expect([line.split()[0] for line in plain.splitlines()] == list(listed), plain)


@engram.promise
def what_answers_is_written_and_the_rest_of_the_file_stays(world):
    write(world, "# mine\nENGRAM_LOG=error\nENGRAM_EMBED_PROVIDER=openai\nENGRAM_EMBED_KEY=old-key\n")
    with web.Site({"/api/embed": embed}) as site:
        code, out, err = setup(world, "--purpose", "embed", "--url", site.url(), "--key-stdin", "ollama", input=KEY + "\n")
        expect(code == 0, out + err)
        reply = json.loads(out)
        expect(reply["written"] and reply["file"] == config(world), reply)
        expect_words(reply["tried"][0]["answer"], "16 dimensions", "1.00", "0.00")
        expect(KEY not in out + err)
        expect(site.requests[0].headers["authorization"] == f"Bearer {KEY}")
        expect(stat.S_IMODE(os.stat(config(world)).st_mode) == 0o600)
        expect(read(world) == f"# mine\nENGRAM_LOG=error\nENGRAM_EMBED_PROVIDER=ollama\nENGRAM_EMBED_URL={site.url()}\n"
               f"ENGRAM_EMBED_KEY={KEY}\n", read(world))
        code, out, err = setup(world, "--purpose", "embed", "--model", "m", "--url", site.url(), "ollama")  # the key is known
        expect(code == 0 and site.requests[-1].headers["authorization"] == f"Bearer {KEY}", out + err)
        expect(f"ENGRAM_EMBED_KEY={KEY}\n" in read(world) and "ENGRAM_EMBED_MODEL=m\n" in read(world), read(world))
    code, out, err = world.run("status")
    expect(code == 0 and KEY not in out + err, err)


@engram.promise
def a_stored_key_stays_with_its_host(world):
    write(world, f"ENGRAM_LLM_PROVIDER=openai\nENGRAM_LLM_KEY={KEY}\n")
    code, out, err = setup(world, "--purpose", "llm", "--model", "m", "--untried", "openai")
    expect(code == 0 and f"ENGRAM_LLM_KEY={KEY}\n" in read(world), out + err)
    code, out, err = setup(world, "--purpose", "llm", "--url", "https://elsewhere.example", "--untried", "openai")
    expect(code == 0 and KEY not in read(world), read(world))


@engram.promise
def a_vendors_key_goes_to_no_other_host(world):
    with web.Site({"/api/embed": embed}) as site:
        code, out, err = setup(world, "--purpose", "embed", "--url", site.url(), "ollama", ENGRAM_VENDOR_KEYS="on", OLLAMA_API_KEY=KEY)
        expect(code == 0, out + err)
        expect("authorization" not in site.requests[0].headers, site.requests[0].headers)


@engram.promise
def a_value_is_one_line_and_what_the_setting_takes(world):
    for arguments, word in ((["--model", "x\nENGRAM_URLS=on"], "ENGRAM_EMBED_MODEL"), (["--url", "http://127.0.0.1\r"], "ENGRAM_EMBED_URL"),
                            (["--model", "m" * 5000], "ENGRAM_EMBED_MODEL")):
        code, out, err = setup(world, "--purpose", "embed", "--untried", *arguments, "ollama")
        expect(code == 3 and not os.path.exists(config(world)), out + err)
        expect_words(err, word)
    code, out, err = setup(world, "--purpose", "embed", "--untried", "--key-stdin", "ollama", input="a b\n")
    expect(code == 3 and not os.path.exists(config(world)), out + err)


@engram.promise
def a_settings_file_that_is_a_link_stays_one(world):
    real = world.path("dotfiles")
    write(world, "# mine\n")
    os.rename(config(world), real)
    os.symlink(real, config(world))
    code, out, err = setup(world, "--purpose", "embed", "--untried", "ollama")
    expect(code == 0 and os.path.islink(config(world)), out + err)
    with open(real, encoding="utf-8") as file:
        expect("ENGRAM_EMBED_PROVIDER=ollama\n" in file.read())


@engram.promise
def what_does_not_answer_is_not_written(world):
    with web.Site({"/api/embed": web.Page(json.dumps({"error": f"bad key {KEY}"}), status=401)}) as site:
        code, out, err = setup(world, "--purpose", "embed", "--url", site.url(), "--key-stdin", "ollama", input=KEY)
        expect(code != 0 and not os.path.exists(config(world)), out)
        expect_words(err, "embed", "nothing was written", "401")
        expect(KEY not in out + err, err)
        code, out, err = setup(world, "--purpose", "embed", "--url", site.url(), "--untried", "ollama")
        expect(code == 0 and "ENGRAM_EMBED_PROVIDER=ollama" in read(world), err)


@engram.promise
def a_dry_run_asks_nobody_and_shows_no_key(world):
    with web.Site({"/api/embed": embed}) as site:
        code, out, err = setup(world, "--dry-run", "--purpose", "embed", "--url", site.url(), "--key-stdin", "ollama", input=KEY)
        expect(code == 0 and not site.requests and not os.path.exists(config(world)), out + err)
        reply = json.loads(out)
        expect(not reply["written"] and "ENGRAM_EMBED_PROVIDER=ollama" in reply["lines"] and KEY not in out, reply)


@engram.promise
def what_is_asked_wrongly_is_refused_with_the_reason(world):
    engram.each_of([
        (["nobody"], "", ["nobody", "no provider"]),
        (["--purpose", "rerank", "openai"], "", ["--purpose", "rerank", "openai"]),
        (["--purpose", "all", "openai"], "", ["--purpose", "embed, rerank or llm"]),
        (["--model", "m", "openai"], "", ["--purpose is missing"]),
        (["--purpose", "embed", "openai"], "", ["ENGRAM_EMBED_KEY isn't set"]),
        (["--purpose", "embed", "--url", "http://gpu-box", "--key-stdin", "ollama"], KEY, ["https://"]),
        (["--purpose", "embed", "--url", "gpu-box", "ollama"], "", ["ENGRAM_EMBED_URL"]),
    ], lambda arguments, given, words: refused(world, arguments, given, words))
    expect(not os.path.exists(config(world)))


def refused(world, arguments, given, words):
    code, out, err = setup(world, *arguments, input=given)
    expect(code != 0, out)
    expect_words(err, *words)
    expect(KEY not in out + err, err)


@engram.promise
def doctor_asks_each_model_that_is_set_up(world):
    with web.Site({"/api/embed": embed}) as site:
        write(world, f"ENGRAM_EMBED_PROVIDER=ollama\nENGRAM_EMBED_URL={site.url()}\nENGRAM_EMBED_KEY={KEY}\n")
        code, out, err = world.run("--json", "doctor")
        rows = {row["name"]: row for row in json.loads(out)["checks"]}
        expect(code == 0 and rows["embeddings"]["status"] == "ok", out + err)
        expect_words(rows["embeddings"]["text"], "ollama", site.url(), "16 dimensions")
        expect_words(rows["reranking"]["text"], "none is set up")
        expect(KEY not in out + err)
    code, out, err = world.run("--json", "doctor")
    rows = {row["name"]: row for row in json.loads(out)["checks"]}
    expect(rows["embeddings"]["status"] == "warn" and KEY not in out + err, out)


@engram.promise
def the_clients_own_model_is_set_up_without_being_asked(world):
    code, out, err = setup(world, "sampling")
    expect(code == 0, err)
    expect_words(out, "ENGRAM_LLM_PROVIDER=sampling", "not tried here")
    _, out, _ = world.run("--json", "doctor")
    row = next(row for row in json.loads(out)["checks"] if row["name"] == "language model")
    expect(row["status"] == "ok", row)
    expect_words(row["text"], "sampling", "not tried here")
    refused(world, ["--url", "http://localhost:1", "sampling"], "", ["ENGRAM_LLM_URL", "asks the client itself"])
    refused(world, ["--key-stdin", "sampling"], KEY, ["ENGRAM_LLM_KEY", "asks the client itself"])


engram.main()
