import { existsSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { isAbsolute, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { BadSetting } from '../../../config/setting.ts'

// Where a model is that a setting names: a folder, or a package that is installed, perhaps with the folder in it. The folders
// of packages are looked for rather than resolved, since packages may say which of their files others import.

const toPackage = (name: string): { root: string; inside: string } => {
  const parts = name.split('/')
  const count = name.startsWith('@') ? 2 : 1
  return { root: parts.slice(0, count).join('/'), inside: parts.slice(count).join('/') }
}

const isFolder = (path: string): boolean => existsSync(path) && statSync(path).isDirectory()

/** The folder of an installed package, seen from where the service was started or from where it is itself. */
const findPackage = (name: string): string | undefined => {
  const places = [pathToFileURL(join(process.cwd(), 'any.js')).href, import.meta.url]
  return places
    .flatMap((place) => createRequire(place).resolve.paths(`${name}/package.json`) ?? [])
    .map((place) => join(place, name))
    .find(isFolder)
}

/** The folder of a model that a setting names. Throws BadSetting, which says what to do, where it is not there. */
export const findModelFolder = (model: string): string => {
  if (isAbsolute(model) || /^\.{1,2}(\/|$)/.test(model)) {
    const folder = resolve(model)
    if (isFolder(folder)) return folder
    throw new BadSetting(`NOEMA_EMBEDDING_MODEL names the folder ${folder}, which is not there.`)
  }
  const { root, inside } = toPackage(model)
  const found = findPackage(root)
  if (found === undefined)
    throw new BadSetting(
      `NOEMA_EMBEDDING_MODEL names the package ${root}, which is not installed: run npm install ${root} where the service is started. A folder begins with / or ./`,
    )
  const folder = join(found, inside)
  if (isFolder(folder)) return folder
  throw new BadSetting(`NOEMA_EMBEDDING_MODEL names ${inside} in the package ${root}, which has no such folder.`)
}
