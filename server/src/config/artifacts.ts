import { z } from 'zod'
import { BadSetting, httpUrl, type Settings, type ValuesOf, wholeNumber } from './setting.ts'

const bucketUrl = httpUrl.refine((text) => {
  const { search, hash, username } = new URL(text)
  return search === '' && hash === '' && username === ''
}, 'the address of a bucket, without a query, a fragment and a user')

/** Settings of the store of files. */
export const artifactSettings = {
  NOEMA_ARTIFACT_S3_URL: {
    schema: bucketUrl.optional(),
    about:
      'Bucket of an S3-compatible store, and a prefix in it if there is one. It gets the bytes of new files. Without it they are in PostgreSQL.',
    example: 'https://s3.eu-central-1.amazonaws.com/my-bucket/noema',
  },
  NOEMA_ARTIFACT_S3_REGION: {
    schema: z.string().min(1).default('us-east-1'),
    about: 'Region of the bucket, which each call is signed for.',
    example: 'eu-central-1',
  },
  NOEMA_ARTIFACT_S3_ACCESS_KEY_ID: {
    schema: z.string().min(1).optional(),
    about: 'Id of the access key for the bucket. The key must be allowed to put, get and delete objects.',
    example: 'noema',
    file: true,
  },
  NOEMA_ARTIFACT_S3_SECRET_ACCESS_KEY: {
    schema: z.string().min(1).optional(),
    about: 'Secret of that access key.',
    example: 'secret',
    secret: true,
  },
  NOEMA_ARTIFACT_S3_SECONDS: {
    schema: wholeNumber(1, 300).default(20),
    about: 'Seconds that one call to the store may take. A call moves at most 2 MiB.',
    example: '20',
  },
} as const satisfies Settings

type Values = ValuesOf<typeof artifactSettings>

const readStore = (values: Values) => {
  const { NOEMA_ARTIFACT_S3_URL: url, NOEMA_ARTIFACT_S3_REGION: region } = values
  const { NOEMA_ARTIFACT_S3_ACCESS_KEY_ID: accessKeyId, NOEMA_ARTIFACT_S3_SECRET_ACCESS_KEY: secretAccessKey } = values
  if (url === undefined) {
    if (accessKeyId !== undefined || secretAccessKey !== undefined)
      throw new BadSetting('NOEMA_ARTIFACT_S3_ACCESS_KEY_ID and its secret are set without NOEMA_ARTIFACT_S3_URL.')
    return undefined
  }
  if (accessKeyId === undefined || secretAccessKey === undefined)
    throw new BadSetting(
      'NOEMA_ARTIFACT_S3_URL needs NOEMA_ARTIFACT_S3_ACCESS_KEY_ID and NOEMA_ARTIFACT_S3_SECRET_ACCESS_KEY.',
    )
  return {
    ...{ url: url.replace(/\/+$/, ''), region, accessKeyId, secretAccessKey },
    seconds: values.NOEMA_ARTIFACT_S3_SECONDS,
  }
}

export const readArtifacts = (values: Values) => ({
  /** The store of the bytes of files; undefined if they are in PostgreSQL. */
  artifactStore: readStore(values),
})
