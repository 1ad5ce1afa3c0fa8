import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readManifest, repository } from './manifest.ts'
import { toPublished } from './published.ts'

// ONNX Runtime's npm package contains the binaries of every platform, 290 MB, and downloads those of graphics cards at its
// installation. Here each platform gets a package with the 45 MB that it loads, and npm installs the matching one.

const platforms = [
  { os: 'linux', cpu: 'x64' },
  { os: 'linux', cpu: 'arm64' },
  { os: 'darwin', cpu: 'arm64' },
] as const

const toName = ({ os, cpu }: { os: string; cpu: string }): string => `@noema/onnxruntime-${os}-${cpu}`

/** The packages of all platforms, as a package.json names them. */
export const runtimePackages = (version: string): [string, string][] =>
  platforms.map((platform) => [toName(platform), version])

/**
 * Builds the package of a platform into a folder of `cli/dist-runtime` and gives that. `installed`: a whole onnxruntime-node,
 * as `npm pack onnxruntime-node` brings it; the one in node_modules has the machine's own platform.
 */
export const buildRuntime = (
  platform: { os: string; cpu: string } = { os: process.platform, cpu: process.arch },
  installed: string = fileURLToPath(new URL('node_modules/onnxruntime-node', repository)),
): string => {
  const { os, cpu } = platform
  const folder = fileURLToPath(new URL(`cli/dist-runtime/${os}-${cpu}/`, repository))
  const binaries = join('bin/napi-v6', os, cpu)
  if (!existsSync(join(installed, binaries))) throw new Error(`${installed} has no binaries of ${os} on ${cpu}.`)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const part of [binaries, 'dist', 'README.md'])
    cpSync(join(installed, part), join(folder, part), {
      recursive: true,
      filter: (path) => !/(_cuda|_tensorrt|\.map$)/.test(path),
    })
  const { version } = readManifest('cli/package.json')
  const onnxruntime = readManifest('server/package.json').optionalDependencies?.['onnxruntime-node']
  const manifest = {
    ...{ name: toName(platform), version, license: 'MIT' },
    description: `ONNX Runtime ${onnxruntime} for ${os} on ${cpu}, by Microsoft: the part of onnxruntime-node that Noema loads.`,
    ...toPublished('packaging'),
    main: 'dist/index.js',
    ...{ os: [os], cpu: [cpu] },
    dependencies: { 'onnxruntime-common': onnxruntime },
  }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  return folder
}

if (import.meta.main) buildRuntime()
