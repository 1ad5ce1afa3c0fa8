// Runs a bundle where there is nothing of Node: the globals of an edge runtime alone.
import { readFileSync } from 'node:fs'
import { EdgeVM } from '@edge-runtime/vm'

const [bundle = '', given = ''] = process.argv.slice(2)
const edge = new EdgeVM()
edge.evaluate(readFileSync(bundle, 'utf8'))
if (edge.evaluate('typeof process + typeof Buffer + typeof require') !== 'undefinedundefinedundefined')
  throw new Error('there is something of Node')
process.stdout.write(JSON.stringify(await edge.evaluate(`atEdge(${given})`)))
