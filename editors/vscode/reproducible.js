// node reproducible.js FILE.vsix
// Writes the package again, with its files in order, the same permissions, and the time SOURCE_DATE_EPOCH.
"use strict";
const fs = require("fs");
const yauzl = require("yauzl");
const yazl = require("yazl");

const [path] = process.argv.slice(2);
// ZIP files contain local times.
process.env.TZ = "UTC";
const mtime = new Date(Number(process.env.SOURCE_DATE_EPOCH) * 1000);

const entries = [];
yauzl.open(path, { lazyEntries: true, autoClose: true }, (error, zip) => {
  if (error) throw error;
  zip.on("entry", (entry) => {
    zip.openReadStream(entry, (failed, stream) => {
      if (failed) throw failed;
      const parts = [];
      stream.on("data", (part) => parts.push(part));
      stream.on("end", () => {
        entries.push({ name: entry.fileName, data: Buffer.concat(parts) });
        zip.readEntry();
      });
    });
  });
  zip.on("end", () => {
    const out = new yazl.ZipFile();
    entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const { name, data } of entries) out.addBuffer(data, name, { mtime, mode: 0o100644 });
    out.end();
    out.outputStream.pipe(fs.createWriteStream(`${path}.new`)).on("close", () => fs.renameSync(`${path}.new`, path));
  });
  zip.readEntry();
});
