// The contracts are zod schemas, and zod checks at load time whether it may compile code. The content security policy forbids
// that and would report the attempt, so this module turns the check off. It must be imported first.
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } })

export {}
