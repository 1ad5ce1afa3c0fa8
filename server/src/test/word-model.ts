import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

// A real ONNX model of a few kB: a graph with one node, which looks up a vector for each word. Texts with common words are
// near each other. It is written as the bytes of its protocol buffers:
// https://github.com/onnx/onnx/blob/main/onnx/onnx.proto

const words = 'the a cat dog ship sleeps barks sails on sea query passage note one two three'.split(' ')
const special = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', ':']
const vocabulary = [...special, ...words]

const varint = (value: number): number[] => {
  const bytes: number[] = []
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return [...bytes, rest]
    bytes.push((rest % 128) + 128)
  }
}

const number = (field: number, value: number): Buffer => Buffer.from([...varint(field * 8), ...varint(value)])

const part = (field: number, content: string | Buffer | readonly Buffer[]): Buffer => {
  const bytes = Array.isArray(content) ? Buffer.concat(content) : Buffer.from(content as Buffer)
  return Buffer.concat([Buffer.from([...varint(field * 8 + 2), ...varint(bytes.length)]), bytes])
}

const float = 1
const int64 = 7

/** An input or output: its name, its type, and the names or numbers of its axes. */
const value = (field: number, name: string, type: number, axes: readonly (string | number)[]): Buffer => {
  const shape = axes.map((axis) => part(1, [typeof axis === 'string' ? part(2, axis) : number(1, axis)]))
  return part(field, [part(1, name), part(2, [part(1, [number(1, type), part(2, shape)])])])
}

/** The vectors of words: pseudo-random numbers, the same for each seed. */
const makeTable = (dimensions: number, seed: number): Float32Array => {
  let state = seed
  return Float32Array.from({ length: vocabulary.length * dimensions }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0
    return state / 2 ** 31
  })
}

const makeGraph = (dimensions: number, seed: number): Buffer => {
  const table = Buffer.from(makeTable(dimensions, seed).buffer)
  const graph = [
    part(1, [part(1, 'table'), part(1, 'input_ids'), part(2, 'last_hidden_state'), part(4, 'Gather')]),
    part(2, 'words'),
    part(5, [
      ...[vocabulary.length, dimensions].map((length) => number(1, length)),
      number(2, float),
      part(8, 'table'),
      part(9, table),
    ]),
    value(11, 'input_ids', int64, ['batch', 'tokens']),
    value(12, 'last_hidden_state', float, ['batch', 'tokens', dimensions]),
  ]
  return Buffer.concat([number(1, 8), part(7, graph), part(8, [number(2, 13)])])
}

const tokenizer = {
  version: '1.0',
  truncation: null,
  padding: null,
  added_tokens: [],
  normalizer: { type: 'BertNormalizer', clean_text: true, handle_chinese_chars: true, lowercase: true },
  pre_tokenizer: { type: 'BertPreTokenizer' },
  post_processor: { type: 'BertProcessing', sep: ['[SEP]', 3], cls: ['[CLS]', 2] },
  decoder: null,
  model: {
    type: 'WordPiece',
    unk_token: '[UNK]',
    continuing_subword_prefix: '##',
    max_input_chars_per_word: 100,
    vocab: Object.fromEntries(vocabulary.map((word, id) => [word, id])),
  },
}

/** Writes a model of words into a folder, with files that describe its use. */
export const writeWordModel = async (
  folder: string,
  {
    dimensions = 32,
    seed = 1,
    files = {},
  }: { dimensions?: number; seed?: number; files?: Record<string, object> } = {},
): Promise<string> => {
  await mkdir(join(folder, '1_Pooling'), { recursive: true })
  await writeFile(join(folder, 'model.onnx'), makeGraph(dimensions, seed))
  await writeFile(join(folder, 'tokenizer.json'), JSON.stringify(tokenizer))
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), JSON.stringify(content))
  return folder
}
