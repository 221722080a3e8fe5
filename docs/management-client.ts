import { createLogger, openService, parseConfig } from '@hookline/server'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const GENERATOR = fileURLToPath(new URL('../node_modules/oazapfts/dist/cli.js', import.meta.url))

// Its types are good to use; it is not written for compiler options as strict as ours.
const UNCHECKED = '// @ts-nocheck\n'

/**
 * The client that oazapfts, which knows nothing of Hookline, makes from the OpenAPI document of a running
 * service: what anyone would make of it, and the tests use.
 */
export async function managementClient(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'hookline-client-'))
  try {
    const [document, client] = [join(folder, 'openapi.json'), join(folder, 'client.ts')]
    await writeFile(document, await openapiDocument(join(folder, 'data')))
    await promisify(execFile)(process.execPath, [GENERATOR, document, client])
    return UNCHECKED + (await readFile(client, 'utf8'))
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function openapiDocument(dataDir: string): Promise<string> {
  const config = parseConfig({}, { dataDir, port: '0' })
  await using service = await openService({ config, logger: createLogger('silent') })
  const answer = await fetch(`${service.url}/api/v1/openapi.json`)
  return answer.text()
}
