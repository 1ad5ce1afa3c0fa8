import { z } from 'zod'
import { corrects, writeResult } from './changes.ts'
import {
  expiresAt,
  expiresAtInput,
  itemId,
  itemVersion,
  json,
  largeBodyLimit,
  listQuery,
  newContentId,
  pageResult,
  provenance,
  provenanceInput,
  stateQuery,
  stateResult,
  stateVersion,
  timeInput,
  timestamp,
} from './common.ts'
import { defineEndpoint } from './endpoint.ts'
import { addErrors, extractionErrors, previewErrors, writeErrors } from './error-codes.ts'

/** The system that a document was taken from, and its address there. */
export const documentSource = z
  .object({
    name: z.string().min(1).max(200).describe('The name, for people.'),
    uri: z.string().max(2000).optional().describe('The address of the original.'),
    externalId: z.string().max(500).optional().describe('The id that the source uses for this document.'),
  })
  .describe('The system that a document was taken from, and its address there.')

/** Documents of one sequence are ordered by position, like the messages of a conversation. */
export const documentSequence = z
  .object({
    id: z.string().min(1).max(200).describe('The id of the sequence, such as a conversation.'),
    position: z.int().min(0).describe('The place within the sequence, counted from 0.'),
  })
  .describe('The place of a document in a sequence, such as the messages of a conversation.')

/** Values of a caller that go with the text of a document. */
export const ownValues = z
  .record(z.string(), json)
  .describe('Your own values. They are kept and returned, and have no further meaning to the service.')

/** The version of a file that the text of a document was extracted from. */
export const documentArtifact = z
  .object({
    id: itemId,
    path: z.string().describe('The path of the file at that time.'),
    version: itemVersion,
  })
  .describe('The version of a file that the text was extracted from.')
export type DocumentArtifact = z.infer<typeof documentArtifact>

export const document = z
  .object({
    id: itemId,
    version: itemVersion,
    hash: z.string().describe('SHA-256 of the text in hex'),
    title: z.string().nullable().describe('The title, for people.'),
    contentType: z.string().describe('The media type of the text, such as text/markdown.'),
    status: z.enum(['served', 'retired']).describe('The current state.'),
    source: documentSource.nullable().describe('Where the text comes from.'),
    artifact: documentArtifact
      .optional()
      .describe('The version of a file that the text was extracted from; absent for other texts.'),
    metadata: ownValues,
    occurredAt: timestamp.nullable().describe('When the events in the document happened.'),
    sequence: documentSequence
      .nullable()
      .describe('The position of the document in a sequence, such as a message in a conversation.'),
    expiresAt,
    length: z.int().describe('Length of the text in UTF-16 code units'),
    stateVersion,
    provenance: provenance.describe('The origin of this version.'),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .describe('One version of a document, without its text. Receipts refer to `version`.')
export type BrainDocument = z.infer<typeof document>

/** A document version with its text. */
export const documentWithText = document.extend({
  text: z.string().describe('The text. One from a file with pages has a form feed at the end of each page.'),
  artifactDeleted: z
    .boolean()
    .optional()
    .describe('Of a text from a file: true if this version of the file is not there any more.'),
  unsearchable: z.string().optional().describe('Why search cannot find this version, where it cannot'),
})

export const newDocument = z
  .object({
    id: newContentId.optional(),
    text: z.string().describe('The text.'),
    title: z.string().max(1000).optional().describe('The title, for people.'),
    contentType: z.string().min(1).max(200).optional().describe('The media type of the text, such as text/markdown.'),
    source: documentSource.optional().describe('Where the text comes from.'),
    metadata: ownValues.optional(),
    occurredAt: timeInput.optional().describe('When the events in the document happened.'),
    sequence: documentSequence
      .optional()
      .describe('The position of the document in a sequence, such as a message in a conversation.'),
    expiresAt: expiresAtInput,
    provenance: provenanceInput.optional().describe('The origin of this version.'),
  })
  .describe(
    'The content of a document, in a POST or a batch. Without an id, the id is `sha256:` and the hash of the text.',
  )

/** The fields by which a document's text is sent, or extracted from a file. */
export const textOrArtifact = {
  text: newDocument.shape.text.optional(),
  artifact: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('The id of a file from which the text is extracted, instead of `text`.'),
  artifactVersion: z
    .int()
    .min(1)
    .max(999_999_999)
    .optional()
    .describe('The version of the file; the current one by default.'),
} as const

/** The rule that exactly one of both is sent, as `refine` takes it. */
export const sendsOneText: [
  check: (sent: { text?: string | undefined; artifact?: string | undefined }) => boolean,
  refusal: { error: string; path: PropertyKey[] },
] = [
  ({ text, artifact }) => (text === undefined) !== (artifact === undefined),
  { error: 'Send either text or artifact.', path: ['text'] },
]

export const putDocument = defineEndpoint({
  method: 'POST',
  path: '/v1/brains/{handle}/documents',
  summary: 'Write a document, as a new one or a new version',
  description:
    'Writes a document: a new one, or a new version of the one with this id. If nothing differs, nothing is written. ' +
    'A pending write returns its id; a landed one returns its id and version to a caller without read, who gets ' +
    'nothing that is stored.\n\nWith `artifact` instead of `text`, the text is extracted from a file of the organization, as ' +
    'Markdown: PDF, DOCX, XLSX, PPTX, EPUB, HTML, CSV, email and plain text. This needs a session or a management key.',
  access: { capabilities: ['write'] },
  body: newDocument.extend({ ...textOrArtifact, corrects }).refine(...sendsOneText),
  bodyLimit: largeBodyLimit,
  idempotencyKey: 'header',
  ifMatch: true,
  errors: [...addErrors, ...extractionErrors],
  status: [201, 200, 202],
  result: z
    .object({
      ...writeResult,
      document: z
        .union([
          document,
          z.object({
            id: itemId,
            version: z.int().min(1).optional().describe('The version. Each change to the item makes the next one.'),
          }),
        ])
        .describe('The document.'),
    })
    .describe('The outcome of the write, and the document.'),
})

export const retireDocument = defineEndpoint({
  method: 'DELETE',
  path: '/v1/brains/{handle}/documents/{id}',
  summary: 'Retire a document',
  description: 'Retires a document: current reads no longer return it; its versions can still be read by number.',
  access: { capabilities: ['write'] },
  idempotencyKey: 'header',
  ifMatch: true,
  errors: writeErrors,
  status: [200, 202],
  result: z
    .object({ ...writeResult, document: z.object({ id: itemId }).describe('The document.') })
    .describe('The outcome of the write, and the document that it retires.'),
})

export const getDocument = defineEndpoint({
  method: 'GET',
  path: '/v1/brains/{handle}/documents/{id}',
  summary: 'Read a document with its text',
  description:
    'Reads a document with its text: the current version, a numbered one (`version`), or the one at a stateVersion ' +
    '(`asOf`).',
  access: { capabilities: ['read'] },
  query: z.object({
    version: z
      .string()
      .regex(/^[1-9]\d{0,8}$/, 'version is a whole number, 1 or more.')
      .transform(Number)
      .optional()
      .describe('This version instead of the current one.'),
    ...stateQuery,
  }),
  errors: previewErrors,
  status: [200],
  result: z.object({ document: documentWithText.describe('The document.'), ...stateResult }),
})

export const listDocuments = defineEndpoint({
  method: 'GET',
  path: '/v1/brains/{handle}/documents',
  summary: 'List documents',
  description: 'Lists current documents by id, all or of one source, without their texts.',
  access: { capabilities: ['read'] },
  query: z.object({
    source: z.string().min(1).max(200).optional().describe('Only documents of this source.'),
    ...listQuery,
    ...stateQuery,
  }),
  errors: previewErrors,
  status: [200],
  list: 'documents',
  result: z.object({
    documents: z.array(document).describe('The documents of this page.'),
    ...pageResult,
    ...stateResult,
  }),
})

export const listDocumentVersions = defineEndpoint({
  method: 'GET',
  path: '/v1/brains/{handle}/documents/{id}/versions',
  summary: 'List the versions of a document',
  description: 'Lists the versions of a document, without their texts.',
  access: { capabilities: ['read'] },
  query: z.object(listQuery),
  status: [200],
  list: 'versions',
  result: z.object({
    versions: z.array(document).describe('The versions of this page.'),
    ...pageResult,
    stateVersion,
  }),
})

/** The endpoints of documents by the names that clients have for them. */
export const documentEndpoints = {
  put: putDocument,
  retire: retireDocument,
  get: getDocument,
  list: listDocuments,
  versions: listDocumentVersions,
} as const
