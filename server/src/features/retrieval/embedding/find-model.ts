import { existsSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { isAbsolute, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { BadSetting } from '../../../config/setting.ts'

// Finds the model that a setting names: a folder, or an installed package, perhaps with a folder in it. The folders of packages are
// searched rather than resolved, since packages may restrict which of their files others import.

const toPackage = (name: string): { root: string; inside: string } => {
  const parts = name.split('/')
  const count = name.startsWith('@') ? 2 : 1
  return { root: parts.slice(0, count).join('/'), inside: parts.slice(count).join('/') }
}

const isFolder = (path: string): boolean => existsSync(path) && statSync(path).isDirectory()

/** The folder of an installed package, as seen from the working directory or from the service itself. */
const findPackage = (name: string): string | undefined => {
  const paths = [pathToFileURL(join(process.cwd(), 'any.js')).href, import.meta.url]
  return paths
    .flatMap((path) => createRequire(path).resolve.paths(`${name}/package.json`) ?? [])
    .map((path) => join(path, name))
    .find(isFolder)
}

/** The folder of a model that `setting` names. Throws BadSetting with instructions where it does not exist. */
export const findModelFolder = (setting: string, model: string): string => {
  if (isAbsolute(model) || /^\.{1,2}(\/|$)/.test(model)) {
    const folder = resolve(model)
    if (isFolder(folder)) return folder
    throw new BadSetting(`${setting} names the folder ${folder}, which is not there.`)
  }
  const { root, inside } = toPackage(model)
  const found = findPackage(root)
  if (found === undefined)
    throw new BadSetting(
      `${setting} names the package ${root}, which is not installed: run npm install ${root} where the service is started. A folder begins with / or ./`,
    )
  const folder = join(found, inside)
  if (isFolder(folder)) return folder
  throw new BadSetting(`${setting} names ${inside} in the package ${root}, which has no such folder.`)
}
