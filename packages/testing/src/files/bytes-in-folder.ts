import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export function filesWith(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .filter(({ parentPath, name }) => readFileSync(join(parentPath, name)).includes(text))
    .map(({ name }) => name)
}
