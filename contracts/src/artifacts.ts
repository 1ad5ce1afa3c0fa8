import { z } from 'zod'
import { actor, deletedResult, itemId, itemVersion, listQuery, pageResult, timestamp, wholeNumber } from './common.ts'
import { defineEndpoint } from './endpoint.ts'
import { extractionErrors } from './error-codes.ts'

// Artifacts: the files of an organization, each at a path, with versions that never change.

/** 64 MiB: the maximum size of one file. */
export const maxArtifactBytes = 64 * 1024 * 1024

/** The most characters of a text that one answer has: 64 KiB. */
export const maxTextPart = 64 * 1024

/** The longest time for which a signed link works: an hour. */
export const maxLinkSeconds = 3_600

const pathRule =
  'A path has 1 to 500 characters in parts between slashes, such as reports/q3.pdf, without . and .. as a part.'

const isPath = (path: string): boolean =>
  path.isWellFormed() &&
  !/\p{Cc}|\p{Cn}/u.test(path) &&
  path.split('/').every((part) => part !== '' && part !== '.' && part !== '..')

/** The path of a file, in Unicode's composed form: the same name from any system is the same path. */
export const artifactPath = z
  .string()
  .transform((path) => path.normalize('NFC'))
  .refine((path) => path.length > 0 && path.length <= 500 && isPath(path), pathRule)
  .describe('The path. Folders are its parts before the last slash.')

/** The media type of a file. */
export const artifactType = z
  .string()
  .max(200)
  .regex(/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(\s*;\s*[\w!#$&^.+-]+=([\w!#$&^.+-]+|"[\x20-\x21\x23-\x5b\x5d-\x7e]*"))*$/)

const sha256 = z
  .string()
  .regex(/^[0-9a-fA-F]{64}$/, 'A SHA-256 has 64 hexadecimal digits.')
  .transform((digits) => digits.toLowerCase())

const sentSource = z.enum(['upload', 'folder'], { error: 'source is upload or folder.' })

export const artifact = z
  .object({
    id: itemId,
    path: z.string().describe('The path. Folders are its parts before the last slash.'),
    version: itemVersion,
    contentType: z.string().describe('The media type, as it was sent.'),
    bytes: z.int().min(0).describe('The size in bytes.'),
    sha256: z.string().describe('The SHA-256 of the bytes, in hexadecimal.'),
    source: z
      .enum([...sentSource.options, 'run', 'url'])
      .describe(
        '`upload`, `folder` for a file of a folder that is kept in sync, `run` for one that an agent wrote, or `url` for one of a web source.',
      ),
    createdBy: actor.describe('Who sent this version; for one that an agent wrote, its run.'),
    createdAt: timestamp,
  })
  .meta({
    id: 'Artifact',
    description: 'A version of a file. The id belongs to the path; the other properties never change for a version.',
  })
export type Artifact = z.infer<typeof artifact>

const versionNumber = wholeNumber('version is a whole number, 1 or more.', { min: 1, max: 999_999_999 })
const givenVersion = versionNumber.optional().describe('The version; the current one by default.')
const answer = z.object({ artifact: artifact.describe('The file.') })
const path = '/v1/artifacts' as const
const file = z.string().describe('The bytes.')

export const uploadArtifact = defineEndpoint({
  method: 'POST',
  path,
  summary: 'Upload a file',
  description:
    'Stores the body as a new version of the file at `path`, up to 64 MiB. Its `Content-Type` is kept with it. The same bytes and ' +
    'type as the current version change nothing and are answered with 200. `If-Match` names the version that must be ' +
    'current. Every member of the organization can read its files.',
  access: 'management',
  query: z.object({
    path: artifactPath,
    sha256: sha256.optional().describe('The SHA-256 of the bytes. Bytes with another one are refused and not kept.'),
    source: sentSource.default('upload').describe('`folder` for a file of a folder that is kept in sync.'),
  }),
  file: 'body',
  bodyLimit: maxArtifactBytes,
  idempotencyKey: 'header',
  ifMatch: true,
  errors: ['body_too_large', 'artifact_cap', 'content_cap', 'too_many_artifacts'],
  status: [201, 200],
  result: answer,
})

export const listArtifacts = defineEndpoint({
  method: 'GET',
  path,
  summary: 'List files',
  description: 'Lists the files of the organization by path, each with its current version.',
  access: 'management',
  query: z.object({
    prefix: z
      .string()
      .max(500)
      .transform((text) => text.normalize('NFC'))
      .optional()
      .describe('Only paths that begin with this, such as `reports/`.'),
    runId: itemId.optional().describe('Only files that this run wrote, each with the newest version that it wrote.'),
    ...listQuery,
  }),
  status: [200],
  list: 'artifacts',
  result: z.object({ artifacts: z.array(artifact).describe('The files.'), ...pageResult }),
})

export const getArtifact = defineEndpoint({
  method: 'GET',
  path: `${path}/{id}`,
  summary: 'Read the facts about a file',
  description: 'Reads a version of a file, without its bytes.',
  access: 'management',
  query: z.object({ version: givenVersion }),
  status: [200],
  result: answer,
})

export const listArtifactVersions = defineEndpoint({
  method: 'GET',
  path: `${path}/{id}/versions`,
  summary: 'List the versions of a file',
  description: 'Lists the versions of a file that are kept.',
  access: 'management',
  query: z.object(listQuery),
  status: [200],
  list: 'versions',
  result: z.object({ versions: z.array(artifact).describe('The versions.'), ...pageResult }),
})

const downloadText =
  'Answers the bytes with their media type, as an attachment that no browser runs. `ETag` is the SHA-256; a `Range` of one ' +
  'part is answered with 206, and `If-None-Match` with 304 if nothing changed.'

export const downloadArtifact = defineEndpoint({
  method: 'GET',
  path: `${path}/{id}/content`,
  summary: 'Download a file',
  description: downloadText,
  access: 'management',
  query: z.object({ version: givenVersion }),
  file: 'answer',
  status: [200, 206],
  result: file,
})

const partSize = wholeNumber('size is a whole number from 1 to 65,536.', { min: 1, max: maxTextPart })

export const readArtifactText = defineEndpoint({
  method: 'GET',
  path: `${path}/{id}/text`,
  summary: 'Read the text of a file',
  description:
    'Reads the text of a version of a file, a part at a time: of a PDF, DOCX, XLSX, PPTX, EPUB, HTML, CSV or email its text as ' +
    'Markdown. In a text with pages a form feed ends each page. The first call extracts the text; it is kept for five minutes after the last.',
  access: 'management',
  query: z.object({
    version: givenVersion,
    offset: wholeNumber('offset is a whole number, 0 or more.', { min: 0, max: Number.MAX_SAFE_INTEGER })
      .optional()
      .describe('Where to begin: the `nextOffset` of the answer before.'),
    page: wholeNumber('page is a whole number, 1 or more.', { min: 1, max: 999_999_999 })
      .optional()
      .describe('The page to begin with, instead of `offset`.'),
    size: partSize.default(16_384).describe('About how many characters of text to answer, up to 65,536.'),
  }),
  errors: extractionErrors,
  status: [200],
  result: z.object({
    artifact: artifact.describe('The file.'),
    text: z.string().describe('The part of the text.'),
    pages: z
      .object({
        first: z.int().describe('The page where the part begins.'),
        last: z.int().describe('The page where it ends.'),
        total: z.int().describe('How many pages the text has.'),
      })
      .nullable()
      .describe('The pages of the part; null if the text has none.'),
    nextOffset: z.int().nullable().describe('Where the next part begins; null at the end.'),
  }),
})

export const linkArtifact = defineEndpoint({
  method: 'POST',
  path: `${path}/{id}/links`,
  summary: 'Make a link to a file',
  description:
    'Makes a link by which anyone can download one version of a file for a while. It ends early when the version or ' +
    'the file is deleted, or when the access of its maker ends.',
  access: 'management',
  body: z.object({
    expiresInSeconds: z
      .int()
      .min(1, 'A link works for 1 to 3,600 seconds.')
      .max(maxLinkSeconds, 'A link works for 1 to 3,600 seconds.')
      .default(600)
      .describe('For how many seconds the link works, up to an hour.'),
    version: z.int().min(1).max(999_999_999).optional().describe('The version; the current one by default.'),
  }),
  bodyOptional: true,
  status: [201],
  result: z.object({
    link: z
      .object({
        url: z.string().describe('The address. Anyone who has it can read the file.'),
        version: itemVersion,
        expiresAt: timestamp,
      })
      .describe('The link.'),
  }),
})

export const downloadLinked = defineEndpoint({
  method: 'GET',
  path: `${path}/{id}/linked`,
  summary: 'Download a file by a link',
  description: `${downloadText} A link that does not work any more is 404.`,
  access: 'public',
  query: z.object({ token: z.string().min(1).max(2_000).describe('The token of the link.') }),
  file: 'answer',
  status: [200, 206],
  result: file,
})

export const deleteArtifact = defineEndpoint({
  method: 'DELETE',
  path: `${path}/{id}`,
  summary: 'Delete a file',
  description:
    'Deletes a file with all its versions and erases their bytes; with `version`, only an earlier version. The current ' +
    'version cannot be deleted alone.',
  access: 'management',
  query: z.object({ version: versionNumber.optional().describe('An earlier version to delete, instead of the file.') }),
  errors: ['conflict'],
  status: [200],
  result: deletedResult,
})

/** The endpoints of files by the names that clients have for them. */
export const artifactEndpoints = {
  upload: uploadArtifact,
  list: listArtifacts,
  get: getArtifact,
  versions: listArtifactVersions,
  content: downloadArtifact,
  text: readArtifactText,
  link: linkArtifact,
  linked: downloadLinked,
  delete: deleteArtifact,
} as const
