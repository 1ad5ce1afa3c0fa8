import { z } from 'zod'
import { BadSetting, httpUrl, type Settings, type ValuesOf, wholeNumber } from './setting.ts'

/** Settings of the extraction of text from files. */
export const extractionSettings = {
  NOEMA_EXTRACT_SECONDS: {
    schema: wholeNumber(1, 3_600).default(120),
    about: 'Seconds that the extraction of the text of one file may take.',
    example: '120',
  },
  NOEMA_EXTRACT_MEMORY: {
    schema: wholeNumber(128, 100_000).default(768),
    about: 'Megabytes of memory that the extraction of the text of one file may take.',
    example: '768',
  },
  NOEMA_EXTRACT_CHARACTERS: {
    schema: wholeNumber(1_000, 16_000_000).default(2_000_000),
    about: 'Characters of the text of one file. A file with more text is refused.',
    example: '2000000',
  },
  NOEMA_EXTRACT_URL: {
    schema: httpUrl.optional(),
    about:
      'Server that extracts the text of scans, and of files of types that this service does not read. It gets these files.',
    example: 'http://127.0.0.1:9998',
  },
  NOEMA_EXTRACT_SERVICE: {
    schema: z.enum(['tika', 'docling']).default('tika'),
    about: 'What runs at NOEMA_EXTRACT_URL: Apache Tika Server, or docling-serve.',
    example: 'docling',
  },
  NOEMA_EXTRACT_API_KEY: {
    schema: z.string().min(1).optional(),
    about: 'Key of that server: sent as a bearer token to Tika, and as X-Api-Key to docling-serve.',
    example: 'secret',
    secret: true,
  },
} as const satisfies Settings

type Values = ValuesOf<typeof extractionSettings>

const readService = (values: Values) => {
  const { NOEMA_EXTRACT_URL: url, NOEMA_EXTRACT_SERVICE: service, NOEMA_EXTRACT_API_KEY: apiKey } = values
  if (url === undefined && apiKey !== undefined)
    throw new BadSetting('NOEMA_EXTRACT_API_KEY is set without NOEMA_EXTRACT_URL.')
  return url === undefined ? undefined : { url: url.replace(/\/+$/, ''), service, apiKey }
}

export const readExtraction = (values: Values) => ({
  extraction: {
    limits: {
      seconds: values.NOEMA_EXTRACT_SECONDS,
      memoryBytes: values.NOEMA_EXTRACT_MEMORY * 1024 * 1024,
      maxCharacters: values.NOEMA_EXTRACT_CHARACTERS,
    },
    /** The server that reads what this service does not; undefined without one. */
    service: readService(values),
  },
})
