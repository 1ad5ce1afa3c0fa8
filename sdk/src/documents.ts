import type { api } from '@noema/contracts/api.ts'
import type { Methods } from './types.ts'

// Documents have the methods of records: `create` without an id, `put` under one. The API has one endpoint for both.

type Endpoints = Methods<(typeof api)['brain'], 'handle'>['documents']
type Post = Endpoints['put']
type Answer = ReturnType<Post>
type PostedDocument = Parameters<Post>[0]
type PutOptions = Parameters<Post>[1]

/** The content of a document, without its id. */
export type NewDocument = Omit<PostedDocument, 'id'>

/** The documents of a Brain. */
export type DocumentsClient = Omit<Endpoints, 'put'> & {
  /** Writes a document without an id of yours: it gets one that is made of its text, so that a repeat writes nothing. */
  create: (document: NewDocument, options?: PutOptions) => Answer
  put: {
    /** Writes the document with this id: a new one, or a new version. If nothing differs, nothing is written. */
    (id: string, document: NewDocument, options?: PutOptions): Answer
    /** @deprecated Give the id first, or use `create` without one. The next release ends this form. */
    (document: PostedDocument, options?: PutOptions): Answer
  }
}

type WithId = [id: string, document: NewDocument, options?: PutOptions]
type Former = [document: PostedDocument, options?: PutOptions]

const hasId = (args: WithId | Former): args is WithId => typeof args[0] === 'string'

/** Gives the documents of a Brain their methods. */
export const createDocuments = ({ put: post, ...others }: Endpoints): DocumentsClient => ({
  ...others,
  create: (document, options) => post(document, options),
  put: (...args: WithId | Former) => {
    if (!hasId(args)) return post(...args)
    const [id, document, options] = args
    return post({ ...document, id }, options)
  },
})
