import type { MarkdownWriter } from './markdown.ts'

/** The file to read, and what its sender calls it. */
type SourceFile = { bytes: Buffer; contentType: string; charset: string | undefined }

/** Reads a file: writes its text, and answers its title if it has one. */
export type ReadFormat = (file: SourceFile, writer: MarkdownWriter) => Promise<string | undefined>
