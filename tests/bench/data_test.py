"""The benchmarks' own data is whole: what the scripts and the tables rely on."""

import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import bench
import changed_facts
import developer_notes


def diary():
    with open(os.path.join(HERE, "developer_questions.json"), encoding="utf-8") as file:
        return json.load(file)


def changed_facts_are_what_the_templates_write():
    subprocess.run([sys.executable, os.path.join(HERE, "changed_facts", "make.py"), "--check"], check=True)


def there_are_200_changes_and_200_pairs_in_ten_domains_of_which_five_are_held_out():
    domains = list(changed_facts.load())
    assert len(domains) == 10 and sum(domain["held_out"] for domain in domains) == 5
    for domain in domains:
        assert len(domain["changed"]) == len(domain["both_true"]) == 20, domain["domain"]
    for declared in ("topic", "supersedes", "none"):
        assert sum(case["declared"] == declared for domain in domains for case in domain["changed"]) in (66, 67)


def no_sentence_of_a_case_stands_in_it_twice():
    for domain in changed_facts.load():
        for case in domain["changed"] + domain["both_true"]:
            rows = case.get("old", []) + [case[part] for part in ("new", "first", "second") if part in case] + case["distractors"]
            texts = [row["text"] for row in rows]
            assert len(set(texts)) == len(texts), case["id"]


def a_change_is_later_than_what_it_changes():
    for domain in changed_facts.load():
        for case in domain["changed"]:
            times = [row.get("at", "") for row in [*case["old"], case["new"]]]
            assert times == sorted(times) and (not any(times) or all(times)), case["id"]


def a_question_of_the_diary_is_answered_in_its_own_half():
    data = diary()
    notes = {note["id"]: note for note in data["notes"]}
    for question in data["questions"]:
        assert question["answers"] and {notes[id]["half"] for id in question["answers"]} == {question["half"]}, question
    halves = {}
    for note in data["notes"]:
        assert halves.setdefault(note["session"], note["half"]) == note["half"], note


def no_question_of_the_diary_is_asked_twice():
    data = diary()
    asked = [row["query"] for row in data["questions"] + data["unanswerable"]]
    assert len(set(asked)) == len(asked)


def at_most_half_of_the_questions_share_a_rare_word_with_an_answer():
    data = diary()
    rare = developer_notes.rare_words(data["notes"])
    sharing = sum(developer_notes.shares_rare(question, data["notes"], rare) for question in data["questions"])
    assert len(data["questions"]) >= 120 and len(data["unanswerable"]) >= 40
    assert sharing <= len(data["questions"]) / 2, sharing


def endings_are_cut_from_words_and_stop_words_left_out():
    assert bench.stems("The caches are Kim's, resized") == {"cach", "kim", "resiz"}


if __name__ == "__main__":
    for name, promise in list(globals().items()):
        if callable(promise) and getattr(promise, "__module__", "") == "__main__" and name != "diary":
            promise()
            print(f"kept     {name.replace('_', ' ')}")
