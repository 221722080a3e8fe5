import { createLogger, openService, parseConfig } from '@hookline/server'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const GENERATOR = fileURLToPath(new URL('../../node_modules/oazapfts/dist/cli.js', import.meta.url))

// The types of its runtime do not compile with exactOptionalPropertyTypes. Callers are still checked.
const UNCHECKED = '// @ts-nocheck\n'

/**
 * The client that oazapfts generates from the OpenAPI document of a running service, for the CLI, the console and a
 * test.
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
  const response = await fetch(`${service.url}/api/v1/openapi.json`)
  return response.text()
}
