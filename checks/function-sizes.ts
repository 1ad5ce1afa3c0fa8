import { type ArrowFunctionExpression, type Function as FunctionNode, parseSync, Visitor } from 'oxc-parser'
import type { SourceFile } from './source-files.ts'

export type FunctionSize = { path: string; line: number; lines: number }

/** Each function of a file with its lines that are not blank, from its first to its last, functions inside it included. */
export const functionSizes = ({ path, text }: SourceFile): FunctionSize[] => {
  const found: FunctionSize[] = []
  const note = ({ start, end }: FunctionNode | ArrowFunctionExpression) => {
    const lines = text
      .slice(start, end)
      .split('\n')
      .filter((line) => line.trim() !== '').length
    found.push({ path, line: text.slice(0, start).split('\n').length, lines })
  }
  const { program } = parseSync(path, text)
  new Visitor({ FunctionDeclaration: note, FunctionExpression: note, ArrowFunctionExpression: note }).visit(program)
  return found
}
