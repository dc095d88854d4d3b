"""Models that misbehave, through the whole product: a server over stdio with its background, beside a server of models on loopback
that answers in all the ways of tests/support/bad_models.py. Whatever it does: remember and recall answer, recall says which leg is off,
nothing is lost, and what waited is done when it is sound again."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support import engram, web
from support.background import DONE_S, wait_for
from support.bad_models import BEHAVIOURS, ODD, BadModels
from support.engram import expect

SHORT = {"ENGRAM_EMBED_MS": "200", "ENGRAM_RERANK_MS": "200", "ENGRAM_MODEL_MS": "1000"}  # what hangs is given up soon
FIRST = ["The login token expires after an hour.", "The mail queue of the login drains through Postfix."]
QUERY = "What about the login token and the mail queue?"
VECTORS = "SELECT count(DISTINCT node) FROM vector"
READ = "SELECT count(*) FROM model_work WHERE purpose = 1"


def note_of(name):
    return f"Ann Lee of the mail team saw that the endpoint {name}, and wrote it down."


def all_is_done(world, count):
    return world.count(VECTORS) == world.count(READ) == count and world.count("SELECT count(*) FROM queue") == 0


class Product:
    """A server whose models are sound until they are told otherwise, with two notes that went through all of them."""

    def __init__(self, world, models):
        self.world, self.models, self.notes = world, models, 0
        world.cleanups.append(models.close)
        del world.env["ENGRAM_NOW"]  # a clock that goes on: what failed is due again
        self.server = world.serve(**{**models.settings(), **SHORT})
        for note in FIRST:
            self.remember(note)
        self.is_done()

    def remember(self, note):
        expect(self.server.remember(note)["status"] == "stored")
        self.notes += 1

    def is_done(self):
        wait_for(DONE_S, f"{self.notes} notes are embedded and read", lambda: all_is_done(self.world, self.notes))

    def recall(self):
        """While a recall waits for its models, a memory is stored."""
        waiting = self.server.send("recall", {"query": QUERY, "min_score": 0})
        self.remember(f"Note {self.notes}: something else that came meanwhile, nobody has to wait.")
        answer = self.server.wait(waiting)["structuredContent"]
        expect({item["text"] for item in answer["items"]} >= set(FIRST), answer)
        return answer

    def goes_through(self, name):
        self.models.behaviour, since = name, len(self.models.requests)
        self.remember(note_of(name))
        answer = self.recall()
        legs_off = " ".join(answer.get("legs_off", []))
        expect(name in ODD or ("embeddings: " in legs_off and "rerank: " in legs_off), f"legs_off: {legs_off}")
        wait_for(DONE_S, "it is asked", lambda: self.models.were_asked(since))
        self.models.behaviour = None
        self.is_done()


def go_through(world, names):
    product = Product(world, BadModels())
    engram.each_of([(name,) for name in names], product.goes_through)
    expect(product.models.trap.requests == [], "somebody followed the redirect")
    expect(world.count("SELECT count(*) FROM node WHERE kind = 0 AND state = 0") == product.notes)
    expect(world.count("SELECT count(*) FROM node WHERE name IN ('Zaphod', 'Betelgeuse')") == 0)
    product.server.stop()
    answer = world.serve(**product.models.settings()).recall(QUERY, explain=True, min_score=0)
    expect("embeddings" in answer["legs"] and "rerank" in answer["legs"] and "legs_off" not in answer, answer)
    world.doctor()


NAMES = [*BEHAVIOURS]


@engram.promise
def what_it_does_to_a_connection_costs_the_leg_and_nothing_else(world):
    go_through(world, NAMES[:NAMES.index("is busy")])


@engram.promise
def what_it_says_in_a_wrong_way_costs_the_leg_and_nothing_else(world):
    go_through(world, NAMES[NAMES.index("is busy"):])


@engram.promise
def odd_answers_of_a_language_model_are_done_and_change_nothing(world):
    go_through(world, ODD)


def corrected(world, urls):
    """A product whose address is wrong until the user corrects it: nothing is lost meanwhile."""
    models = BadModels()
    world.cleanups.append(models.close)
    del world.env["ENGRAM_NOW"]
    server = world.serve(**{**models.settings(), **urls})
    for note in FIRST:
        server.remember(note)
    answer = server.recall(QUERY, min_score=0)
    expect({item["text"] for item in answer["items"]} == set(FIRST), answer)
    expect(len(answer["legs_off"]) == 2, answer)
    wait_for(DONE_S, "it was tried", lambda: world.count("SELECT count(*) FROM endpoint WHERE failures > 0") == 2)
    server.stop()
    world.serve(**models.settings()).remember("The address of the models is corrected now.")
    wait_for(DONE_S, "all is done", lambda: all_is_done(world, len(FIRST) + 1))
    return answer


def at(url):
    return {f"ENGRAM_{purpose}_URL": url for purpose in ("EMBED", "RERANK", "LLM")}


@engram.promise
def a_certificate_that_nobody_vouches_for_costs_the_leg(world):
    certificate = web.certificate(world.base)
    if not certificate:
        raise engram.Skip("there is no openssl")
    with web.Site({}, certificate) as site:
        corrected(world, at(site.url()))
        expect(site.requests == [], site.requests)


@engram.promise
def a_link_local_address_is_never_asked(world):
    answer = corrected(world, at("https://169.254.169.254"))
    expect("out of reach" in answer["legs_off"][0], answer["legs_off"])


@engram.promise
def a_name_with_a_label_that_is_too_long_costs_the_leg(world):
    corrected(world, at(f"https://{'m' * 64}.invalid"))  # one letter more than a label of DNS has: no server of names is asked


engram.main()
