import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { GENERATED_PAGES } from './pages.ts'

for (const { path, render } of GENERATED_PAGES) {
  await writeFile(fileURLToPath(new URL(`../${path}`, import.meta.url)), await render())
  process.stdout.write(`${path}\n`)
}
