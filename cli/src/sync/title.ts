const fence = /^ {0,3}(`{3,}|~{3,})/
const hashHeading = /^ {0,3}#{1,6}[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$/
const underline = /^ {0,3}(?:=+|-+)[ \t]*$/

const withoutFrontMatter = (lines: string[]): string[] => {
  if (lines[0]?.trimEnd() !== '---') return lines
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === '---')
  return end < 0 ? lines : lines.slice(end + 1)
}

// Checks whether a line may precede an underline: text, and not a list, quote or table, whose next line only looks like
// one.
const isHeadingText = (line: string) => /^ {0,3}[^\s>|*+-]/.test(line)

/**
 * The first heading of a Markdown text (`# Title`, or a line underlined with = or -), outside front matter and fenced
 * code; undefined where there is none.
 */
export const markdownTitle = (text: string): string | undefined => {
  let openFence: string | undefined
  let previous = ''
  for (const line of withoutFrontMatter(text.split(/\r\n|\r|\n/))) {
    const marker = fence.exec(line)?.[1]
    if (openFence !== undefined) {
      if (marker?.startsWith(openFence)) openFence = undefined
      continue
    }
    openFence = marker
    const heading = hashHeading.exec(line)?.[1] ?? (underline.test(line) && isHeadingText(previous) ? previous : '')
    if (heading.trim()) return heading.trim()
    previous = line
  }
  return undefined
}
