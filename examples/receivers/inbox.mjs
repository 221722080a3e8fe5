import { randomUUID } from 'node:crypto'
import { link, mkdir, rm, writeFile } from 'node:fs/promises'

await mkdir('inbox', { recursive: true })

/** Stores a delivery on disk. Resolves to false if the delivery was already stored. */
export async function store(id, body) {
  const part = `inbox/${randomUUID()}.part`
  try {
    await writeFile(part, body, { flush: true })
    await link(part, `inbox/${id}.json`)
    console.log(`stored ${id}`)
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
    console.log(`duplicate ${id}`)
    return false
  } finally {
    await rm(part, { force: true })
  }
}
