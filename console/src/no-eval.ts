// The contracts are zod schemas, and zod tries at their making whether it may compile code. The pages' policy forbids
// that and would report the try, so it is told beforehand. This module must be the first that is imported.
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } })

export {}
