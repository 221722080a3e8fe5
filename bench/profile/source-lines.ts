import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { LineOf } from './ticks.ts'

/** Reads lines of the files in a profile. Line numbers match, because Node strips types without moving lines. */
export function sourceLines(): LineOf {
  const files = new Map<string, readonly string[]>()
  return (url, line) => {
    if (!files.has(url)) files.set(url, linesOf(url))
    return files.get(url)![line - 1]
  }
}

function linesOf(url: string): readonly string[] {
  if (!url.startsWith('file:')) return []
  try {
    return readFileSync(fileURLToPath(url), 'utf8').split('\n')
  } catch {
    return []
  }
}
