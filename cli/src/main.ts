#!/usr/bin/env node
// The entry loads nothing before it has checked Node: an older one would fail on a file of a library, with a riddle.

/** The oldest Node that runs the service. */
const needed = [22, 19] as const

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < needed[0] || (major === needed[0] && minor < needed[1])) {
  process.stderr.write(
    `noema: This is Node ${process.versions.node}, and Noema needs Node ${needed.join('.')} or newer. Install it from https://nodejs.org, or run: npx -p node@24 -p noema noema ${process.argv.slice(2).join(' ')}\n`,
  )
  process.exitCode = 1
} else {
  const { keepCompiled } = await import('./keep-compiled.ts')
  keepCompiled(process.env.XDG_CACHE_HOME)
  await import('./start.ts')
}
