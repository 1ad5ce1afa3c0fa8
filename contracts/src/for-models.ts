/**
 * The metadata of a schema that MCP tools describe, too. A model reads the list of tools in every conversation, so tools leave
 * out every other description of the contracts (`.describe`).
 */
export const forModels = (description: string) => ({ description, forModels: true })
