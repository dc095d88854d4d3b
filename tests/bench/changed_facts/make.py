#!/usr/bin/env python3
"""Writes DOMAIN.json beside itself from the templates below, the same bytes each time; `make.py --check` only compares.

A change has an old sentence, a new one and a question; {s} is the subject, {a} the old value, {b} the new one. A pair has two
sentences about {s} that are both true. `rel` is told as a relation from {s} to the value as well. Distractors are what the
change says of other subjects {o}, and the domain's noise."""

import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
CASES = 20
DECLARED = ("topic", "supersedes", "none")
NOISE_EACH, OTHERS_EACH = 6, 3


def change(topic, old, new, ask, values, rel=None):
    return {"topic": topic, "old": old, "new": new, "ask": ask, "values": values, "rel": rel}


def pair(first, second, ask, values, rel=None):
    return {"first": first, "second": second, "ask": ask, "values": values, "rel": rel}


DOMAINS = {
    "services": {
        "held_out": False,
        "subjects": ["Quillon", "billing-gateway", "Saffron", "the rate engine", "Marlin", "stock-sync", "Oriole",
                     "the label printer service", "Tundra", "mail-relay"],
        "changes": [
            change("{s} port", "{s} listens on port {a}.", "{s} listens on port {b}.", "Which port does {s} listen on?",
                   ["8080", "9100", "7443", "8501"]),
            change("language of {s}", "{s} is written in {a}.", "We finished the rewrite: {s} is {b} now.",
                   "Which language is {s} written in?", ["Python", "Go", "Kotlin", "Elixir"], "written_in"),
            change("owner of {s}", "{s} is owned by the {a} team.", "Since the reorganisation the {b} team owns {s}.",
                   "Who owns {s}?", ["Harbor", "Cobalt", "Pine", "Delta"], "owned_by"),
            change("retries in {s}", "{s} retries a failed call {a} times.", "A failed call of {s} is retried {b} times.",
                   "How often does {s} retry a failed call?", ["3", "5", "8", "12"]),
            change("storage of {s}", "{s} keeps its state in {a}.", "The state of {s} was moved; it is kept in {b}.",
                   "Where does {s} keep its state?", ["Redis", "Postgres", "etcd", "DynamoDB"], "stores_in"),
            change("protocol of {s}", "Clients talk to {s} over {a}.",
                   "Clients have to talk to {s} over {b} from this release on.", "Which protocol do clients of {s} use?",
                   ["gRPC", "plain HTTP", "AMQP", "WebSockets"]),
            change("timeout of {s}", "The request timeout of {s} is {a} seconds.",
                   "Raised after the incident: the request timeout of {s} is {b} seconds.",
                   "What is the request timeout of {s}?", ["2", "10", "30", "45"])],
        "pairs": [
            pair("In staging {s} runs two replicas.", "In production {s} runs nine replicas.",
                 "How many replicas does {s} run?", ["two", "nine"]),
            pair("{s} depends on Postgres.", "{s} depends on Kafka.", "What does {s} depend on?", ["Postgres", "Kafka"],
                 "depends_on"),
            pair("{s} is owned by the Harbor team.", "{s} is written in Go.", "Tell me about {s}.", ["Harbor", "Go"]),
            pair("The read timeout of {s} is 2 seconds.", "The connect timeout of {s} is 500 milliseconds.",
                 "What are the timeouts of {s}?", ["2 seconds", "500"]),
            pair("{s} logs to standard output.", "{s} sends its metrics to the collector.",
                 "Where does {s} send its telemetry?", ["standard output", "collector"]),
            pair("{s} had an outage on 3 March because of DNS.", "{s} had an outage on 9 April because of a full disk.",
                 "Which outages did {s} have?", ["3 March", "9 April"]),
            pair("{s} exposes /health for the balancer.", "{s} exposes /metrics for the scraper.",
                 "Which endpoints does {s} expose?", ["/health", "/metrics"])],
        "noise": ["The shared library for tracing is on version 4.", "New services start from the template repository.",
                  "Service names are nouns, never verbs.",
                  "The gateway adds a request id.", "Nobody deploys on the day of the summer party.",
                  "Old log files are compressed after a day.",
                  "The service catalogue is a spreadsheet that Ines hates.", "Health checks must not touch the database.",
                  "Circuit breakers open after ten failures.",
                  "The load test runs from another region."]},
    "cloud": {
        "held_out": False,
        "subjects": ["the staging cluster", "the build farm", "Cirrus", "the log archive", "the edge cache", "Nimbus",
                     "the bastion host", "the analytics bucket", "the backup vault", "Stratus"],
        "changes": [
            change("region of {s}", "{s} is in {a}.", "{s} was moved to {b} last night.", "In which region is {s}?",
                   ["Frankfurt", "Dublin", "Stockholm", "Milan"], "located_in"),
            change("provider of {s}", "We rent {s} from {a}.", "{s} is rented from {b}, the contract is signed.",
                   "Who provides {s}?", ["Hetzner", "OVH", "Scaleway", "Exoscale"]),
            change("cost of {s}", "{s} costs {a} euros a month.", "After the resize {s} costs {b} euros a month.",
                   "What does {s} cost a month?", ["140", "380", "920", "1250"]),
            change("operating system of {s}", "{s} runs on {a}.", "{s} runs on {b} since the upgrade.",
                   "Which system does {s} run on?", ["Debian 11", "Debian 12", "Ubuntu 24.04", "Talos"], "runs_on"),
            change("retention of {s}", "Data in {s} is kept for {a} days.",
                   "Legal asked for it: data in {s} is kept for {b} days.", "How long is data in {s} kept?",
                   ["14", "30", "90", "400"]),
            change("provisioning of {s}", "{s} is provisioned with {a}.", "We provision {s} with {b} from now on.",
                   "What is {s} provisioned with?", ["Terraform", "Pulumi", "Ansible", "hand-written scripts"]),
            change("access to {s}", "You reach {s} through {a}.", "{s} is only reachable through {b} now.",
                   "How do I reach {s}?", ["the VPN", "the jump host", "an SSO proxy", "a WireGuard tunnel"])],
        "pairs": [
            pair("{s} has a replica in Dublin.", "{s} has a replica in Milan.", "Where are the replicas of {s}?", ["Dublin",
                 "Milan"], "replicated_to"),
            pair("The test part of {s} costs 40 euros a month.", "The production part of {s} costs 900 euros a month.",
                 "What does {s} cost?", ["40", "900"]),
            pair("{s} is patched on Tuesdays.", "{s} is patched with unattended-upgrades.", "How is {s} patched?", ["Tuesdays",
                 "unattended-upgrades"]),
            pair("Farid has admin rights on {s}.", "Linnea has admin rights on {s}.", "Who has admin rights on {s}?", ["Farid",
                 "Linnea"]),
            pair("{s} is in Frankfurt.", "{s} is encrypted with our own key.", "What do we know of {s}?", ["Frankfurt",
                 "own key"]),
            pair("Daily snapshots of {s} are kept for 7 days.", "Monthly snapshots of {s} are kept for 400 days.",
                 "How long are snapshots of {s} kept?", ["7", "400"]),
            pair("{s} was down for an hour in January.", "{s} was down for four minutes in February.", "When was {s} down?",
                 ["January", "February"])],
        "noise": ["The bill arrives on the third of the month.", "Tags are mandatory on every resource.",
                  "Reserved capacity is bought in October.", "The status page is hosted elsewhere.",
                  "Egress is the most expensive line of the bill.", "Quota increases take two days.",
                  "Nobody has the root account's phone any more.", "DNS has a TTL of five minutes.",
                  "Spot machines are fine for tests.", "Certificates renew themselves."]},
    "frontend": {
        "held_out": False,
        "subjects": ["the checkout page", "the dashboard", "the settings dialog", "the sign-up form", "the report viewer",
                     "the calendar widget", "the search bar", "the editor", "the landing page", "the mobile menu"],
        "changes": [
            change("framework of {s}", "{s} is built with {a}.", "{s} is built with {b} after the rewrite.",
                   "What is {s} built with?", ["React", "Svelte", "Vue", "Solid"], "built_with"),
            change("designer of {s}", "{a} designs {s}.", "{b} took over the design of {s}.", "Who designs {s}?", ["Amara",
                   "Lucian", "Yuki", "Pernille"]),
            change("bundle limit of {s}", "The bundle of {s} may have {a} kB.", "The bundle of {s} may have {b} kB.",
                   "How large may the bundle of {s} be?", ["120", "180", "250", "300"]),
            change("main colour of {s}", "The accent colour of {s} is {a}.", "We went with {b} as the accent colour of {s}.",
                   "What is the accent colour of {s}?", ["teal", "orange", "plum", "navy"]),
            change("oldest browser for {s}", "{s} must work in {a}.", "The oldest browser for {s} is {b} as of this quarter.",
                   "What is the oldest browser that {s} must work in?",
                   ["Safari 14", "Safari 15", "Chrome 96", "Firefox ESR 115"]),
            change("tests of {s}", "{s} is tested with {a}.", "{s} is tested with {b}; the other suite is deleted.",
                   "What is {s} tested with?", ["Cypress", "Playwright", "Selenium", "Testing Library"], "tested_with"),
            change("loading of {s}", "{s} fetches its data {a}.", "{s} fetches its data {b}.", "When does {s} fetch its data?",
                   ["on mount", "on the server", "on first hover", "every ten seconds"])],
        "pairs": [
            pair("{s} supports English.", "{s} supports Polish.", "Which languages does {s} support?", ["English", "Polish"]),
            pair("On phones {s} has one column.", "On desktops {s} has three columns.", "How many columns does {s} have?",
                 ["phones", "desktops"]),
            pair("{s} is built with React.", "{s} is tested with Playwright.", "What do we use for {s}?", ["React",
                 "Playwright"]),
            pair("Amara draws the icons of {s}.", "Yuki writes the texts of {s}.", "Who works on {s}?", ["Amara", "Yuki"]),
            pair("In the light theme the border of {s} is grey.", "In the dark theme the border of {s} is white.",
                 "Which border does {s} have?", ["light", "dark"]),
            pair("{s} remembers the last filter.", "{s} remembers the scroll position.", "What does {s} remember?", ["filter",
                 "scroll"]),
            pair("A bug in {s} with Safari was fixed in 2.3.", "A bug in {s} with Firefox was fixed in 2.5.",
                 "Which bugs of {s} were fixed?", ["2.3", "2.5"])],
        "noise": ["Icons are SVG, never fonts.", "Dates are shown in the reader's own format.",
                  "Animations respect the reduced motion setting.", "Error texts say what to do next.",
                  "Storybook is published on every merge.", "Focus rings stay visible.",
                  "The design tokens come from one file.", "Copy is reviewed on Wednesdays.",
                  "The grid has twelve columns.", "Images are lazy except the first."]},
    "people": {
        "held_out": False,
        "subjects": ["Rosalind", "Emeka", "Sigrun", "Takeshi", "Paloma", "Dmitri", "Aoife", "Nikhil", "Wilhelmina", "Santiago"],
        "changes": [
            change("team of {s}", "{s} is in the {a} team.", "{s} joined the {b} team this month.", "Which team is {s} in?",
                   ["Storage", "Identity", "Growth", "Compiler"], "member_of"),
            change("manager of {s}", "{s} reports to {a}.", "{s} reports to {b}.", "Whom does {s} report to?", ["Bettina",
                   "Olu", "Graham", "Mei"], "reports_to"),
            change("home of {s}", "{s} lives in {a}.", "{s} has moved to {b}.", "Where does {s} live?", ["Porto", "Tallinn",
                   "Leeds", "Graz"]),
            change("role of {s}", "{s} works as {a}.", "{s} was promoted and works as {b}.", "What does {s} work as?",
                   ["a tester", "an engineering manager", "a staff engineer", "a product designer"]),
            change("working days of {s}", "{s} is off on {a}s.", "New arrangement: {s} is off on {b}s.",
                   "On which day is {s} off?", ["Monday", "Wednesday", "Friday", "Thursday"]),
            change("mentor of {s}", "{a} mentors {s}.", "{s}'s mentor is {b} after the summer.", "Who mentors {s}?", ["Ludmila",
                   "Jaroslav", "Chidi", "Fenna"]),
            change("phone extension of {s}", "{s} has the extension {a}.", "{s} has the extension {b}.",
                   "What is {s}'s extension?", ["214", "377", "608", "951"])],
        "pairs": [
            pair("{s} speaks Spanish.", "{s} speaks Hungarian.", "Which languages does {s} speak?", ["Spanish", "Hungarian"],
                 "speaks"),
            pair("{s} is in the Storage team.", "{s} is in the hiring committee.", "Where is {s} involved?", ["Storage",
                 "hiring"]),
            pair("{s} prefers mail for questions.", "{s} prefers calls for incidents.", "How does {s} like to be contacted?",
                 ["mail", "calls"]),
            pair("{s} lives in Porto.", "{s} was born in Bergen.", "Where is {s} from?", ["Porto", "Bergen"]),
            pair("{s} reviewed the storage RFC.", "{s} reviewed the billing RFC.", "Which RFCs did {s} review?", ["storage",
                 "billing"]),
            pair("{s} is allergic to peanuts.", "{s} is allergic to cats.", "What is {s} allergic to?", ["peanuts", "cats"]),
            pair("{s} was on call in week 12.", "{s} was on call in week 19.", "When was {s} on call?", ["12", "19"])],
        "noise": ["Birthdays are in the shared calendar.", "The all-hands is on the last Thursday.",
                  "New colleagues get a buddy for a month.", "Desks are booked in the app.",
                  "One-on-ones are every other week.", "Feedback rounds are in March and September.",
                  "The book club reads a novel this time.", "Parking is for visitors only.",
                  "Interviews have two interviewers.", "Travel is booked by oneself."]},
    "customers": {
        "held_out": False,
        "subjects": ["Havelock Foods", "Ostrava Steel", "Lindqvist Books", "Casa Moreno", "the city of Delft", "Pelican Air",
                     "Greywater Labs", "Bluth Hardware", "Yarrow Clinics", "Montrose Rail"],
        "changes": [
            change("plan of {s}", "{s} is on the {a} plan.", "{s} switched to the {b} plan.", "Which plan is {s} on?",
                   ["Starter", "Team", "Enterprise", "Unlimited"], "subscribed_to"),
            change("contact at {s}", "Our contact at {s} is {a}.", "Our contact at {s} is {b}.", "Who is our contact at {s}?",
                   ["Ms Albrecht", "Mr Okonkwo", "Ms Tanaka", "Mr Silva"]),
            change("seats of {s}", "{s} has {a} seats.", "The renewal gives {s} {b} seats.", "How many seats does {s} have?",
                   ["25", "60", "140", "500"]),
            change("renewal of {s}", "The contract with {s} is renewed in {a}.", "The contract with {s} is renewed in {b}.",
                   "When is the contract with {s} renewed?", ["March", "June", "September", "December"]),
            change("payment terms of {s}", "{s} pays within {a} days.", "Finance agreed that {s} pays within {b} days.",
                   "Within how many days does {s} pay?", ["14", "30", "45", "60"]),
            change("account manager of {s}", "{a} looks after {s}.", "{b} looks after {s} since the handover.",
                   "Who looks after {s}?", ["Therese", "Boris", "Imani", "Caspar"], "managed_by"),
            change("hosting of {s}", "{s} uses our shared cloud.",
                   "{s} no longer uses our shared cloud, everything was moved on premise.", "Does {s} use our shared cloud?",
                   ["uses our shared cloud", "on premise"])],
        "pairs": [
            pair("{s} uses the reporting module.", "{s} uses the mobile app.", "What does {s} use?", ["reporting", "mobile"],
                 "uses"),
            pair("The legal contact at {s} is Ms Albrecht.", "The technical contact at {s} is Mr Silva.",
                 "Who are the contacts at {s}?", ["legal", "technical"]),
            pair("{s} opened a ticket about slow exports.", "{s} opened a ticket about missing invoices.",
                 "Which tickets did {s} open?", ["exports", "invoices"]),
            pair("{s} has 60 seats in the web app.", "{s} has 12 seats in the design tool.", "How many seats does {s} have?",
                 ["web app", "design tool"]),
            pair("{s} is on the Team plan.", "{s} pays within 30 days.", "What are the terms of {s}?", ["Team", "30"]),
            pair("In 2024 {s} paid 18,000 euros.", "In 2025 {s} paid 21,000 euros.", "How much did {s} pay?", ["2024", "2025"]),
            pair("{s} wants invoices on paper.", "{s} wants reminders by mail.", "How does {s} want to hear from us?", ["paper",
                 "mail"])],
        "noise": ["Prices rise once a year.", "Quotes are valid for 30 days.", "The customer council meets in spring.",
                  "References need written consent.", "Demo data resets at night.",
                  "Discounts above a fifth need a signature.", "Invoices go out on the first working day.",
                  "Churned customers are asked why.", "The fair in Cologne brought 40 leads.",
                  "Contracts are filed by year."]},
    "mobile": {
        "held_out": True,
        "subjects": ["the courier app", "Pocket Ledger", "the driver app", "Trailmate", "the kiosk app", "the loyalty app",
                     "Doorbell", "Fernlicht", "the watch app", "Scanpad"],
        "changes": [
            change("minimum version of {s}", "{s} needs at least {a}.", "From the next release {s} needs at least {b}.",
                   "What does {s} need at least?", ["Android 8", "Android 10", "iOS 15", "iOS 17"]),
            change("release rhythm of {s}", "{s} is released every {a} weeks.", "{s} is released every {b} weeks.",
                   "How often is {s} released?", ["two", "three", "four", "six"]),
            change("maps in {s}", "{s} shows maps from {a}.", "{s} shows maps from {b}, it is cheaper.",
                   "Whose maps does {s} show?", ["Google", "Mapbox", "HERE", "OpenStreetMap"], "uses_maps_of"),
            change("crash reports of {s}", "Crashes of {s} are reported to {a}.",
                   "We switched: crashes of {s} are reported to {b}.", "Where are crashes of {s} reported?",
                   ["Sentry", "Crashlytics", "Bugsnag", "Embrace"]),
            change("size of {s}", "The download of {s} is {a} MB.", "The download of {s} is {b} MB.",
                   "How big is the download of {s}?", ["18", "34", "52", "71"]),
            change("push in {s}", "Push messages of {s} go through {a}.", "Push messages of {s} go through {b} since June.",
                   "What do push messages of {s} go through?",
                   ["Firebase", "OneSignal", "Airship", "our own relay"], "pushes_through"),
            change("lead of {s}", "{a} leads {s}.", "{s} is led by {b}.", "Who leads {s}?", ["Odalys", "Torben", "Ximena",
                   "Kwame"])],
        "pairs": [
            pair("On Android {s} asks for the location once.", "On iOS {s} asks for the location each day.",
                 "How often does {s} ask for the location?", ["Android", "iOS"]),
            pair("{s} has a widget for the weather.", "{s} has a widget for the timetable.", "Which widgets does {s} have?",
                 ["weather", "timetable"]),
            pair("{s} needs at least Android 10.", "{s} is released every three weeks.", "What do we know of {s}?",
                 ["Android 10", "three"]),
            pair("Version 3.1 of {s} brought dark mode.", "Version 3.2 of {s} brought offline maps.",
                 "What did the versions of {s} bring?", ["3.1", "3.2"]),
            pair("Torben translates {s} into Danish.", "Ximena translates {s} into Spanish.", "Who translates {s}?", ["Danish",
                 "Spanish"]),
            pair("{s} was rejected by the store for a missing privacy text.",
                 "{s} was rejected by the store for a broken link.", "Why was {s} rejected?", ["privacy", "link"]),
            pair("{s} caches tiles for 30 days.", "{s} caches prices for one hour.", "How long does {s} cache?", ["tiles",
                 "prices"])],
        "noise": ["Screenshots for the store are made by a script.", "Beta testers are in a group chat.",
                  "Review takes a day on average.", "The signing key is in the vault.",
                  "Old phones lie in the drawer under the window.", "Tablets show two panes.",
                  "Deep links start with our domain.", "Ratings fell after the price change.",
                  "Battery tests run over the weekend.", "Haptics are used sparingly."]},
    "data": {
        "held_out": True,
        "subjects": ["the churn model", "the revenue table", "Larkspur", "the clickstream pipeline", "the price forecast",
                     "the customer mart", "the fraud score", "Hopper", "the ranking model", "the weekly cohort report"],
        "changes": [
            change("schedule of {s}", "{s} is refreshed every {a} hours.", "{s} is refreshed every {b} hours.",
                   "How often is {s} refreshed?", ["2", "6", "12", "24"]),
            change("source of {s}", "{s} reads from {a}.", "The input was replaced: {s} reads from {b}.",
                   "What does {s} read from?", ["Snowflake", "BigQuery", "the Kafka topic orders", "ClickHouse"], "reads_from"),
            change("algorithm of {s}", "{s} uses {a}.", "{b} won the comparison, so {s} uses it.", "Which method does {s} use?",
                   ["logistic regression", "gradient boosting", "a transformer", "a nearest neighbour search"]),
            change("accuracy of {s}", "The accuracy of {s} is {a} percent.",
                   "Measured again: the accuracy of {s} is {b} percent.", "How accurate is {s}?", ["71", "78", "83", "91"]),
            change("steward of {s}", "{a} is the steward of {s}.", "The steward of {s} is {b}.", "Who is the steward of {s}?",
                   ["Hyacinth", "Roland", "Adaeze", "Miloš"], "stewarded_by"),
            change("orchestration of {s}", "{s} is run by {a}.", "{s} is run by {b} since we left the old scheduler.",
                   "What runs {s}?", ["Airflow", "Dagster", "cron", "Prefect"]),
            change("format of {s}", "{s} is stored as {a}.", "{s} is stored as {b}, readers must adapt.",
                   "In which format is {s} stored?", ["Parquet", "CSV", "Avro", "Iceberg tables"])],
        "pairs": [
            pair("The precision of {s} is 83 percent.", "The recall of {s} is 71 percent.", "How good is {s}?", ["precision",
                 "recall"]),
            pair("{s} feeds the sales dashboard.", "{s} feeds the pricing job.", "What does {s} feed?", ["sales", "pricing"],
                 "feeds"),
            pair("{s} leaves out test accounts.", "{s} leaves out refunds.", "What does {s} leave out?", ["test accounts",
                 "refunds"]),
            pair("In Germany {s} has 12,000 rows.", "In France {s} has 9,000 rows.", "How many rows does {s} have?", ["Germany",
                 "France"]),
            pair("{s} is refreshed every 6 hours.", "{s} is stored as Parquet.", "What do we know of {s}?", ["6 hours",
                 "Parquet"]),
            pair("A drift of {s} was seen in May.", "A drift of {s} was seen in August.", "When was drift of {s} seen?", ["May",
                 "August"]),
            pair("Roland may read {s}.", "Adaeze may read {s}.", "Who may read {s}?", ["Roland", "Adaeze"])],
        "noise": ["Notebooks are for exploring, never for production.", "Null means unknown, zero means none.",
                  "Tables have a comment or are dropped.", "Dashboards unused for 90 days vanish.",
                  "Time zones are UTC in the warehouse.", "Metrics are defined in one repository.",
                  "Sampling uses a fixed seed.", "Experiments run for two full weeks.",
                  "Personal data is hashed at the gate.", "Backfills run at night."]},
    "security": {
        "held_out": True,
        "subjects": ["the admin console", "the partner portal", "Basalt", "the customer vault", "Ironwood", "the audit viewer",
                     "the guest portal", "the build console", "the password store", "the payment desk"],
        "changes": [
            change("rotation of {s}", "Secrets of {s} are rotated every {a} days.",
                   "Secrets of {s} are rotated every {b} days.", "How often are secrets of {s} rotated?",
                   ["30", "60", "90", "365"]),
            change("sign-in to {s}", "You sign in to {s} with {a}.", "Signing in to {s} takes {b} after the audit.",
                   "How do you sign in to {s}?", ["a password", "a hardware key", "a one-time code", "a client certificate"]),
            change("approver for {s}", "Access to {s} is approved by {a}.", "Access to {s} is approved by {b}.",
                   "Who approves access to {s}?", ["Magnus", "Leocadia", "Pritam", "Rhiannon"], "approved_by"),
            change("cipher of {s}", "{s} uses {a}.", "Deprecated ciphers are gone, {s} uses {b}.",
                   "Which algorithm does {s} use?", ["RSA 2048", "RSA 4096", "Ed25519", "ECDSA P-256"], "encrypted_with"),
            change("lockout of {s}", "{s} locks after {a} wrong tries.", "{s} locks after {b} wrong tries.",
                   "After how many wrong tries does {s} lock?", ["3", "5", "10", "20"]),
            change("auditor of {s}", "{s} is audited by {a}.", "We changed the firm: {s} is audited by {b}.", "Who audits {s}?",
                   ["Redwing", "Cormorant Consulting", "Sentinel", "Northgate"], "audited_by"),
            change("external access to {s}", "{s} may be reached from outside.",
                   "{s} may not be reached from outside any more.", "May {s} be reached from outside?", ["may be",
                   "may not be"])],
        "pairs": [
            pair("Magnus has access to {s}.", "Rhiannon has access to {s}.", "Who has access to {s}?", ["Magnus", "Rhiannon"]),
            pair("{s} logs every failed sign-in.", "{s} logs every change of a role.", "What does {s} log?", ["failed",
                 "role"]),
            pair("For employees {s} locks after ten tries.", "For guests {s} locks after three tries.", "When does {s} lock?",
                 ["employees", "guests"]),
            pair("A finding about {s} was closed in March.", "A finding about {s} is open since April.",
                 "Which findings are there about {s}?", ["March", "April"]),
            pair("{s} is audited by Redwing.", "{s} is rotated every 90 days.", "What do we know of {s}?", ["Redwing", "90"]),
            pair("{s} is covered by the SOC 2 report.", "{s} is covered by the ISO certificate.", "What covers {s}?", ["SOC 2",
                 "ISO"], "covered_by"),
            pair("{s} refuses requests without a token.", "{s} refuses requests above one megabyte.", "What does {s} refuse?",
                 ["token", "megabyte"])],
        "noise": ["Phishing tests are in February and July.", "Screens lock after five minutes.",
                  "Findings have a date or a reason.", "The incident phone is in the safe.",
                  "Visitors wear a badge.", "Dependencies are scanned on each merge.",
                  "Backups are encrypted before they leave.", "The threat model is reviewed yearly.",
                  "Security training takes an hour.", "Old disks are shredded."]},
    "hardware": {
        "held_out": True,
        "subjects": ["the weather station", "board revision C", "the gateway", "the soil sensor", "the drone controller",
                     "Petrel", "the door lock", "the test rig", "the e-paper sign", "Gannet"],
        "changes": [
            change("microcontroller of {s}", "{s} has an {a}.", "The shortage forced us: {s} has an {b}.",
                   "Which microcontroller does {s} have?", ["STM32F4", "ESP32-S3", "nRF52840", "RP2040"], "contains"),
            change("supplier of {s}", "The parts of {s} come from {a}.", "The parts of {s} come from {b}.",
                   "Where do the parts of {s} come from?", ["Mouser", "Farnell", "LCSC", "Digi-Key"], "supplied_by"),
            change("battery of {s}", "The battery of {s} lasts {a} days.",
                   "With the new firmware the battery of {s} lasts {b} days.", "How long does the battery of {s} last?",
                   ["9", "21", "45", "120"]),
            change("radio of {s}", "{s} transmits by {a}.", "{s} transmits by {b} in this revision.", "How does {s} transmit?",
                   ["LoRa", "Zigbee", "Bluetooth", "NB-IoT"]),
            change("sampling of {s}", "{s} measures every {a} seconds.", "{s} measures every {b} seconds.",
                   "How often does {s} measure?", ["5", "15", "60", "300"]),
            change("enclosure of {s}", "The case of {s} is made of {a}.",
                   "The case of {s} is made of {b}, the other one cracked in the frost.", "What is the case of {s} made of?",
                   ["ABS", "aluminium", "polycarbonate", "ASA"]),
            change("bootloader of {s}", "{s} is flashed with {a}.", "We flash {s} with {b} from batch seven on.",
                   "What is {s} flashed with?", ["OpenOCD", "J-Link", "dfu-util", "esptool"])],
        "pairs": [
            pair("{s} measures temperature.", "{s} measures humidity.", "What does {s} measure?", ["temperature", "humidity"],
                 "measures"),
            pair("At night {s} measures every 300 seconds.", "By day {s} measures every 15 seconds.",
                 "How often does {s} measure?", ["night", "day"]),
            pair("{s} draws 12 mA in operation.", "{s} draws 8 µA in sleep.", "How much does {s} draw?", ["operation",
                 "sleep"]),
            pair("{s} has an STM32F4.", "{s} transmits by LoRa.", "What is in {s}?", ["STM32F4", "LoRa"]),
            pair("One unit of {s} failed in the climate chamber.", "One unit of {s} failed in the drop test.",
                 "Where did units of {s} fail?", ["climate", "drop"]),
            pair("The red LED of {s} means no network.", "The green LED of {s} means a full battery.",
                 "What do the LEDs of {s} mean?", ["red", "green"]),
            pair("{s} passed CE in 2024.", "{s} passed FCC in 2025.", "Which approvals does {s} have?", ["CE", "FCC"])],
        "noise": ["The oscilloscope is calibrated in May.", "Solder is lead-free.", "Boards are panelised by four.",
                  "The lab closes at seven.", "Serial numbers are laser-etched.",
                  "ESD mats are checked monthly.", "The 3D printer is booked by the hour.",
                  "Schematics are PDFs in the release.", "Spare parts lie in cabinet two.", "Fuses are never bridged."]},
    "meetings": {
        "held_out": True,
        "subjects": ["the retrospective", "the sprint review", "the stand-up", "the reading group", "the architecture round",
                     "the hack day", "the planning", "the pairing hour", "the demo", "the incident review"],
        "changes": [
            change("day of {s}", "{s} is on {a}.", "{s} is on {b} for now.", "On which day is {s}?", ["Monday", "Tuesday",
                   "Thursday", "Friday"]),
            change("tool for {s}", "We use {a} for {s}.", "People couldn't hear each other; we use {b} for {s}.",
                   "What do we use for {s}?", ["Jitsi", "Zoom", "Discord", "Meet"]),
            change("length of {s}", "{s} takes {a} minutes.", "{s} takes {b} minutes.", "How long does {s} take?", ["15", "25",
                   "40", "60"]),
            change("host of {s}", "{a} is in charge of {s}.", "{s} is in the hands of {b} since the holidays.",
                   "Who is in charge of {s}?", ["Ottilie", "Baptiste", "Freya", "Hamza"], "hosted_by"),
            change("language of {s}", "{s} is in {a}.", "We agreed that {s} is in {b}.", "In which language is {s}?",
                   ["English", "German", "Dutch", "French"]),
            change("room of {s}", "{s} is held in {a}.", "Too many came, so {s} is held in {b}.", "Where is {s} held?",
                   ["the library", "room 204", "the canteen", "the glass box"], "held_in"),
            change("minutes of {s}", "Minutes are taken in {s}.", "Minutes are no longer taken in {s}, a recording is enough.",
                   "Are minutes taken in {s}?", ["are taken", "no longer"])],
        "pairs": [
            pair("In summer {s} is at nine.", "In winter {s} is at ten.", "When is {s}?", ["summer", "winter"]),
            pair("Ottilie attends {s}.", "Hamza attends {s}.", "Who attends {s}?", ["Ottilie", "Hamza"]),
            pair("{s} takes 25 minutes.", "{s} is in English.", "What do we know about {s}?", ["25", "English"]),
            pair("The Lisbon office has {s} on Monday.", "The Oslo office has {s} on Friday.", "When do the offices have {s}?",
                 ["Lisbon", "Oslo"]),
            pair("{s} was cancelled in January because of snow.", "{s} was cancelled in March because of a strike.",
                 "When was {s} cancelled?", ["snow", "strike"]),
            pair("{s} starts with the numbers.", "{s} ends with the open questions.", "How does {s} go?", ["numbers",
                 "questions"]),
            pair("Freya learned of {s} from a book.", "Baptiste learned of {s} from a talk.", "Who learned of {s}, and how?",
                 ["book", "talk"])],
        "noise": ["Cameras may stay off.", "Headphones mean do not disturb.", "Invitations without an agenda are declined.",
                  "Notes are Markdown.", "The whiteboard is wiped on Sundays.",
                  "Lunch is at half past twelve.", "Guests sign in at the desk.", "The big screen needs the grey cable.",
                  "Snacks are bought by the office.", "Time zones are shown beside names."]},
}


# ---- cases ----

def sentence(template, **slots):
    """The template filled, with a capital in front where a common noun would start small."""
    text = template.format(**slots)
    return text if "-" in text.split()[0] else text[0].upper() + text[1:]


def turn(values, n):
    return values[n % len(values)]


def relations(rel, subject, value):
    return {"relations": [{"from": bare(subject), "relation": rel, "to": value}]} if rel else {}


def bare(subject):
    """A subject as a name: without its article."""
    return subject.removeprefix("the ")


def distractors(domain, n, subject, template, value_at):
    """What the same template says of others, then the domain's noise."""
    others = [other for other in domain["subjects"] if other != subject]
    rows = []
    for i in range(OTHERS_EACH):
        other, value = turn(others, n * OTHERS_EACH + i), turn(template["values"], value_at + i)
        rows.append({"text": sentence(template["old"], s=other, a=value), **relations(template["rel"], other, value)})
    return rows + [{"text": turn(domain["noise"], n * 3 + i)} for i in range(NOISE_EACH)]


def changed(name, domain, n, declared):
    template = turn(domain["changes"], n)
    subject = turn(domain["subjects"], n + n // len(domain["subjects"]))
    values, rel = template["values"], template["rel"]
    steps = 3 if n % 5 == 4 and declared != "none" and len(values) > 2 else 2  # some changed twice
    start = n // len(domain["changes"]) if len(values) > 2 else 0  # a yes doesn't turn round
    chain = [turn(values, start + i) for i in range(steps)]
    rows = []
    for i, value in enumerate(chain):
        words = template["old"] if i == 0 else template["new"]
        row = {"text": sentence(words, s=subject, a=value, b=value), **relations(rel, subject, value)}
        if n % 4:  # one in four doesn't say when it was so: then the order of telling counts
            row["at"] = f"{2024 + i}-{1 + (n * 5 + i * 3) % 12:02d}-{1 + n:02d}"
        rows.append(row)
    case = {"id": f"{name}-{n + 1:02d}", "declared": declared, "old": rows[:-1], "new": rows[-1], "old_value": chain[-2],
    "new_value": chain[-1]}
    if declared == "topic":
        case["topic"] = template["topic"].format(s=bare(subject))
    case["question"] = sentence(template["ask"], s=subject)
    case["distractors"] = distractors(domain, n, subject, template, n + 1)
    return case


def both_true(name, domain, n):
    template = turn(domain["pairs"], n)
    subject = turn(domain["subjects"], 3 + n + n // len(domain["subjects"]))
    rows = [{"text": sentence(template[part], s=subject), **relations(template["rel"], subject, value)}
            for part, value in zip(("first", "second"), template["values"])]
    if n % 4:
        for i, row in enumerate(rows):
            row["at"] = f"{2024 + i}-{1 + (n * 7 + i) % 12:02d}-{1 + n:02d}"
    return {"id": f"{name}-both-{n + 1:02d}", "first": rows[0], "second": rows[1], "values": template["values"],
    "question": sentence(template["ask"], s=subject),
            "distractors": distractors(domain, n, subject, turn(domain["changes"], n), n + 1)}


def domain_json(number, name, domain):
    changes = [changed(name, domain, n, DECLARED[(n + number) % 3]) for n in range(CASES)]
    pairs = [both_true(name, domain, n) for n in range(CASES)]
    lines = [f'{{"domain": "{name}", "held_out": {json.dumps(domain["held_out"])},']
    for field, rows, end in (("changed", changes, ","), ("both_true", pairs, "}")):
        lines.append(f' "{field}": [')
        lines += [f"  {json.dumps(row, ensure_ascii=False)}{',' if row is not rows[-1] else ''}" for row in rows]
        lines.append(f" ]{end}")
    return "\n".join(lines) + "\n"


def main():
    stale = []
    for number, (name, domain) in enumerate(DOMAINS.items()):
        path, text = os.path.join(HERE, f"{name}.json"), domain_json(number, name, domain)
        if "--check" in sys.argv:
            with open(path, encoding="utf-8") as file:
                stale += [path] if file.read() != text else []
        else:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
    sys.exit("\n".join(f"{path} is not what make.py writes" for path in stale) or 0)


if __name__ == "__main__":
    main()
