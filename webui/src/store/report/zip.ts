/** Reading a zip file whose entries are stored without compression, as reports of misread rolls are. */

export interface Entry {
  readonly name: string;
  readonly content: Uint8Array<ArrayBuffer>;
}

const END_BYTES = 22;
const END = 0x06054b50;
const ENTRY = 0x02014b50;
const LOCAL = 0x04034b50;

/** Return the entries of the file, in order; throw where it is no such file. */
export function storedEntries(file: ArrayBuffer): readonly Entry[] {
  const view = new DataView(file);
  const end = file.byteLength - END_BYTES;
  if (end < 0 || view.getUint32(end, true) !== END) throw new Error("no zip file");
  const entries: Entry[] = [];
  let at = view.getUint32(end + 16, true);
  for (let left = view.getUint16(end + 10, true); left > 0; left -= 1) {
    const stored = view.getUint16(at + 10, true) === 0;
    if (view.getUint32(at, true) !== ENTRY || !stored) throw new Error("no stored entry");
    const size = view.getUint32(at + 24, true);
    const nameBytes = view.getUint16(at + 28, true);
    const local = view.getUint32(at + 42, true);
    if (view.getUint32(local, true) !== LOCAL) throw new Error("no entry");
    // The local head may have an extra field of another length.
    const begin = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
    entries.push({
      name: new TextDecoder().decode(new Uint8Array(file, at + 46, nameBytes)),
      content: new Uint8Array(file, begin, size),
    });
    at += 46 + nameBytes + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return entries;
}
