// Runs the suite with every client and writes docs/reference/clients.md. It needs Go, and takes a few minutes because of clients
// that retry permanent errors.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ClientAdapter } from './client-adapter.ts'
import { BEHAVIOURS, CLIENTS, CLIENTS_PAGE, clientsPage } from './suite.ts'

const DEADLINE_MS = 90_000

const results = new Map<ClientAdapter, ReadonlyMap<string, boolean>>()
for (const client of CLIENTS) {
  process.stdout.write(`${client.name} ${client.version}\n`)
  results.set(client, await resultsOf(client))
}
await writeFile(
  fileURLToPath(new URL(`../../${CLIENTS_PAGE}`, import.meta.url)),
  clientsPage(results),
)
process.stdout.write(`${CLIENTS_PAGE}\n`)
process.exit()

async function resultsOf(client: ClientAdapter): Promise<ReadonlyMap<string, boolean>> {
  const found = new Map<string, boolean>()
  for (const { name, check } of BEHAVIOURS) {
    const failure = await failureOf(check(client))
    found.set(name, failure === undefined)
    process.stdout.write(`  ${failure === undefined ? 'yes' : 'NO '} ${name}${failure ?? ''}\n`)
  }
  return found
}

async function failureOf(check: Promise<void>): Promise<string | undefined> {
  try {
    await Promise.race([
      check,
      sleep(DEADLINE_MS).then(() => assert.fail('the check did not finish')),
    ])
    return undefined
  } catch (error) {
    return `: ${String(error).split('\n')[0]}`
  }
}
