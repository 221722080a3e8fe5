import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { GENERATED_PAGES } from './pages.ts'

for (const { path, render } of GENERATED_PAGES) {
  const file = fileURLToPath(new URL(`../../${path}`, import.meta.url))
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, await render())
  process.stdout.write(`${path}\n`)
}
