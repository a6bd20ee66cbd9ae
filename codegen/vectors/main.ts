// Makes the table of word vectors that the package ships: `npm run vectors`. Fetches 110 MB, and takes a minute.
import { writeFileSync } from 'node:fs';
import { constants, zstdCompressSync } from 'node:zlib';
import { removeCommonPart } from './commonPart.ts';
import { DIMENSIONS, fetchSource } from './source.ts';
import { vectorsOf } from './vocabulary.ts';

const FILE = new URL('../../src/catalog/meaning/glove.safetensors.zst', import.meta.url);
/** The length of each vector. Storing lengths or scales besides did not make retrieval any better. */
const LENGTH = 127;

const table = vectorsOf(fetchSource());
removeCommonPart([...table.values()]);
const words = Buffer.from([...table.keys()].join('\n'));
const embeddings = new Int8Array(table.size * DIMENSIONS);
[...table.values()].forEach((vector, token) => {
  const length = Math.hypot(...vector);
  embeddings.set(
    vector.map((value) => Math.round((value * LENGTH) / length)),
    token * DIMENSIONS,
  );
});
const packed = zstdCompressSync(safetensors(words, embeddings), {
  params: { [constants.ZSTD_c_compressionLevel]: 19 },
});
writeFileSync(FILE, packed);
console.log(`${table.size} words, ${packed.length} bytes`);

function safetensors(words: Buffer, embeddings: Int8Array): Buffer {
  const header = Buffer.from(
    JSON.stringify({
      __metadata__: { source: 'GloVe 6B, 100 dimensions; PDDL 1.0' },
      words: { dtype: 'U8', shape: [words.length], data_offsets: [0, words.length] },
      embeddings: {
        dtype: 'I8',
        shape: [embeddings.length / DIMENSIONS, DIMENSIONS],
        data_offsets: [words.length, words.length + embeddings.length],
      },
    }),
  );
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  return Buffer.concat([length, header, words, new Uint8Array(embeddings.buffer)]);
}
