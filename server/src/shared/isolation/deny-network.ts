import dgram from 'node:dgram'
import dns from 'node:dns'
import net from 'node:net'

// Loaded before everything else in an isolated process. Node's permission model denies it files, processes, threads and
// native code, but Node 24 cannot deny the network. So this replaces the functions by which anything in Node opens a connection:
// HTTP, TLS and fetch all go through a socket of `net`, and names through `dns`.

const deny = (): never => {
  throw new Error('This process has no network.')
}

const replace = (object: object, names: readonly string[]): void => {
  for (const name of names) Object.defineProperty(object, name, { value: deny, writable: false, configurable: false })
}

replace(net.Socket.prototype, ['connect'])
replace(net.Server.prototype, ['listen'])
replace(dgram.Socket.prototype, ['bind', 'connect', 'send'])
const lookups = Object.keys(dns).filter((name) => /^(?:lookup|resolve|reverse)/.test(name))
replace(dns, lookups)
replace(
  dns.promises,
  Object.keys(dns.promises).filter((name) => /^(?:lookup|resolve|reverse)/.test(name)),
)
