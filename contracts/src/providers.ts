import { z } from 'zod'
import { actor, deletedResult, displayName, listQuery, pageResult, timestamp } from './common.ts'
import { defineEndpoint } from './endpoint.ts'
import { testErrors } from './error-codes.ts'

// Providers of language models: an organization's own accounts with them, and those that the service shares.

/**
 * The API that a provider speaks. `openai-compatible` is anything with OpenAI's chat completions, such as Ollama, vLLM or
 * OpenRouter.
 */
export const providerKind = z.enum(['openai', 'anthropic', 'google', 'openai-compatible']).describe('The kind.')
export type ProviderKind = z.infer<typeof providerKind>

/** Maximum number of providers of one organization. */
export const maxProviders = 50

/** The provider of the models that are built in; no other has this name. */
export const builtinProvider = 'noema'

/** A provider's name, the prefix of its models' names: `[a-z0-9][a-z0-9_-]{0,62}`, and not `noema`. */
export const providerName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, 'A provider name has 1 to 63 of a-z, 0-9, _ and -, and begins with a-z or 0-9.')
  .refine((name) => name !== builtinProvider, 'The name noema is that of the models that are built in. Choose another.')

/** The name of a model as its provider calls it. */
export const modelName = z
  .string()
  .regex(/^[\x21-\x7e]{1,200}$/, 'The name of a model has 1 to 200 visible ASCII characters.')

// Headers that control how a request is sent cannot be set.
const reservedHeaders =
  /^(host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|content-(length|type|encoding)|accept(-encoding)?)$/i

const maxHeaders = 20
const maxHeaderCharacters = 8 * 1024

/** Headers that are sent with every call: at most 20, and 8 KiB with their names. Answers contain only their names. */
export const sentHeaders = z
  .record(
    z
      .string()
      .regex(/^[\w!#$%&'*+.^`|~-]{1,100}$/, 'This is not a name of a header.')
      .refine((name) => !reservedHeaders.test(name), 'This header is set by the service itself. Leave it out.'),
    z.string().regex(/^[\x21-\x7e]([\t\x20-\x7e]*[\x21-\x7e])?$/, 'A header has visible ASCII characters.'),
  )
  .refine((headers) => Object.keys(headers).length <= maxHeaders, `There are at most ${maxHeaders} headers.`)
  .refine(
    (headers) => Object.entries(headers).flat().join('').length <= maxHeaderCharacters,
    `Headers have at most ${maxHeaderCharacters} characters, with their names.`,
  )
  .refine(
    (headers) => new Set(Object.keys(headers).map((name) => name.toLowerCase())).size === Object.keys(headers).length,
    'A header is named once, in capitals or not.',
  )
  .describe('Headers to send. Their values are stored encrypted and never shown.')

/** The address that the paths of an API are added to, such as `https://api.openai.com/v1`. */
const baseUrl = z
  .string()
  .min(1)
  .max(2048)
  .refine((url) => !/[?#]/.test(url), 'A base URL has no query and no fragment: paths are added at its end.')

/** The key of an account with a provider. */
const apiKey = z.string().regex(/^[\x21-\x7e]{1,4096}$/, 'An API key has 1 to 4096 visible ASCII characters.')

export const provider = z
  .object({
    name: displayName,
    kind: providerKind,
    baseUrl: z.string().nullable().describe('The address of the API; null for the usual one.'),
    hasApiKey: z.boolean().describe('True if an API key is stored. It is never shown.'),
    headers: z.array(z.string()).describe('Headers to send. Their values are stored encrypted and never shown.'),
    problem: z.string().nullable().describe('Why it cannot be used, where that is known'),
    createdAt: timestamp,
    updatedAt: timestamp,
    createdBy: actor.describe('Who set it last'),
  })
  .describe(
    "An organization's provider. `baseUrl` is null where it is the usual one of its kind. The key and the values of " +
      "headers are never answered: only whether there is a key, and the headers' names.",
  )
export type Provider = z.infer<typeof provider>

/** A provider that the service shares with every organization, unless the organization has one of the same name. */
export const sharedProvider = z.object({ name: displayName, kind: providerKind })

const providerAnswer = z
  .object({ provider: provider.describe('The provider of models.') })
  .describe('The provider, without its API key.')

export const putProvider = defineEndpoint({
  method: 'PUT',
  path: '/v1/providers/{name}',
  summary: 'Set up a provider of language models',
  description:
    'Sets up a provider, or replaces it whole: what is left out is gone, the key too, so that no key goes to an ' +
    'address that it was not given for. The address must be https on a public host.',
  access: 'management',
  body: z
    .object({
      kind: providerKind.describe('Which API the provider speaks.'),
      baseUrl: baseUrl.optional().describe('The address of the API; without it, the usual one.'),
      apiKey: apiKey.optional().describe('Needed by all but openai-compatible ones'),
      headers: sentHeaders.optional(),
    })
    .superRefine(({ kind, baseUrl: url, apiKey: key }, context) => {
      const isCompatible = kind === 'openai-compatible'
      if (isCompatible && url === undefined)
        context.addIssue({
          code: 'custom',
          path: ['baseUrl'],
          message: 'An openai-compatible provider needs a baseUrl.',
        })
      if (!isCompatible && key === undefined)
        context.addIssue({
          code: 'custom',
          path: ['apiKey'],
          message: `A provider of the kind ${kind} needs an apiKey.`,
        })
    }),
  errors: ['too_many_providers'],
  status: [200, 201],
  result: providerAnswer,
})

export const listProviders = defineEndpoint({
  method: 'GET',
  path: '/v1/providers',
  summary: 'List the providers of language models',
  description:
    "Lists an organization's providers by name, and those that the service shares with it. Never with a secret.",
  access: 'management',
  query: z.object(listQuery),
  status: [200],
  list: 'providers',
  result: z.object({
    providers: z.array(provider).describe('The providers of models.'),
    shared: z.array(sharedProvider).describe('The providers that the operator offers to every organization.'),
    ...pageResult,
  }),
})

export const getProvider = defineEndpoint({
  method: 'GET',
  path: '/v1/providers/{name}',
  summary: 'Read a provider of language models',
  description: 'Reads a provider of the organization, never with a secret.',
  access: 'management',
  status: [200],
  result: providerAnswer,
})

export const deleteProvider = defineEndpoint({
  method: 'DELETE',
  path: '/v1/providers/{name}',
  summary: 'Delete a provider of language models',
  description: 'Deletes a provider with its key. Runs whose agents use its models fail at their next step.',
  access: 'management',
  status: [200],
  result: deletedResult,
})

/** The outcome of a test: `status` is null if no response came, `error` is null after a success. */
export const providerTest = z.object({
  ok: z.boolean().describe('True if it works.'),
  status: z.int().nullable().describe('The HTTP status of the answer; null if there was none.'),
  error: z.string().nullable().describe('The error; null if there was none.'),
  milliseconds: z.int().min(0).describe('How long it took, in milliseconds.'),
})
export type ProviderTest = z.infer<typeof providerTest>

export const testProvider = defineEndpoint({
  method: 'POST',
  path: '/v1/providers/{name}/test',
  summary: 'Test a provider',
  description:
    'Calls a provider now and returns the outcome: it lists its models, or with `model` has that model say a word, ' +
    'which costs a few tokens. A failure of the provider, or a response that is not of its API, is an outcome, too; ' +
    '`error` is the beginning of its text.',
  access: 'management',
  body: z.object({
    model: modelName
      .optional()
      .describe('The model, as `provider/model`, or `noema/extractive`, which needs no provider.'),
  }),
  bodyOptional: true,
  errors: [...testErrors, 'unreadable_secret', 'email_not_verified', 'model_cap'],
  status: [200],
  result: providerTest,
})
