import type { LanguageModelV4 } from '@ai-sdk/provider'
import { builtinProvider } from '@noema/contracts/providers.ts'

// The port to language models is the provider interface of the AI SDK, used directly: one call of `doStream` is one step, and
// nothing between repeats, waits or calls tools by itself.

export type LanguageModel = LanguageModelV4

/** True if a model is a part of the service: it costs nothing to ask it again, and it answers the same. */
export const isBuiltin = (model: string): boolean => model.startsWith(`${builtinProvider}/`)

/**
 * Opens a model by its full name: `provider/model`, or `noema/extractive`. Throws ModelGone where its provider is not there
 * (any more).
 */
export type OpenModel = (request: { organizationId: string; model: string }) => Promise<LanguageModel>
