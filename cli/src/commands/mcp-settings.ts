import { isSettings, parseSettings } from '../client-files.ts'
import { UsageError } from '../exit-codes.ts'
import type { McpClient, ServerCommand } from './mcp-clients.ts'

// The files in which AI clients store their servers, as text: JSON, and the TOML of Codex. Other content stays.

type Added = { file: string; client: McpClient; name: string; server: ServerCommand }

const byHand = 'add what --print shows by hand.'

const addToJson = (text: string, { file, client, name, server }: Added): string => {
  const settings = parseSettings(file, text, byHand)
  const servers = settings[client.key] ?? {}
  if (!isSettings(servers)) throw new UsageError(`"${client.key}" of the file is no object: ${byHand}`)
  return `${JSON.stringify({ ...settings, [client.key]: { ...servers, [name]: client.entry(server) } }, undefined, 2)}\n`
}

/** Basic strings of TOML are escaped as those of JSON are. */
const toTomlKey = (name: string): string => (/^[\w-]+$/.test(name) ? name : JSON.stringify(name))

const toTable = ({ client, name, server }: Added): string => {
  const table = `${client.key}.${toTomlKey(name)}`
  const env = Object.entries(server.env).map(([key, value]) => `${toTomlKey(key)} = ${JSON.stringify(value)}`)
  return [
    `[${table}]`,
    `command = ${JSON.stringify(server.command)}`,
    `args = [${server.args.map((one) => JSON.stringify(one)).join(', ')}]`,
    '',
    `[${table}.env]`,
    ...env,
    '',
  ].join('\n')
}

/**
 * Removes a server's tables from the file. It reads lines, so it refuses content that could contain a line which only looks
 * like a table.
 */
const withoutTable = (text: string, { file, client, name }: Added): string => {
  if (/"""|'''/.test(text) || new RegExp(`^\\s*["']?${client.key}["']?\\s*[.=]`, 'm').test(text))
    throw new UsageError(`${file} is written in a way that is not changed by a program: ${byHand}`)
  const key = `(?:${[name, JSON.stringify(name), `'${name}'`].map((one) => one.replace(/[^\w"'-]/g, '\\$&')).join('|')})`
  const own = new RegExp(`^\\s*\\[\\s*${client.key}\\s*\\.\\s*${key}\\s*[.\\]]`)
  let isOwn = false
  const kept = text.split('\n').filter((line) => {
    if (/^\s*\[\[?[^\]]*\]\]?\s*(#.*)?$/.test(line)) isOwn = own.test(line)
    return !isOwn
  })
  return kept.join('\n').trimEnd()
}

const addToToml = (text: string, added: Added): string => {
  const others = withoutTable(text, added)
  return `${others}${others === '' ? '' : '\n\n'}${toTable(added)}`
}

/** Adds the server to the text of a client's file. Throws if the file cannot be changed without a loss. */
export const addServer = (text: string, added: Added): string =>
  (added.client.format === 'toml' ? addToToml : addToJson)(text, added)
