import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkCalls, checkTypes } from './check-client.ts'
import { checkEvents, createSource, sendCall } from './check-service.ts'
import { RunningService } from './running-service.ts'
import { InstalledProject } from './installed-project.ts'
import { nodeOf } from '../nodes.ts'
import { step } from '../step.ts'
import type { Tarball } from '../packing/tarballs.ts'

/** Installs the tarballs as a user would, and tests the installed packages. Rejects if a check fails. */
export async function checkTarballs(tarballs: readonly Tarball[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'hookline-release-'))
  try {
    const everything = await step('install everything with Node 24', () =>
      install(folder, 24, tarballs),
    )
    await step('hookline demo', () => everything.hookline('demo'), lastLine)
    await step('the program in the README of protocol', () => everything.readmeProgram('protocol'))
    await step('the program in the README of server', () => everything.readmeProgram('server'))
    await checkWithService(folder, tarballs, everything)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function checkWithService(
  folder: string,
  tarballs: readonly Tarball[],
  everything: InstalledProject,
): Promise<void> {
  await using service = await step('hookline start', () => RunningService.start(everything))
  const writeKey = await step('hookline sources create', () => createSource(everything, service))
  const users = [await step('hookline send', () => sendCall(everything, service, writeKey))]
  for (const line of [20, 22, 24] as const) {
    const name = `the client in Node ${line}, from a module and from CommonJS`
    users.push(
      ...(await step(name, async () => {
        const client = await install(folder, line, tarballs.filter(isOfClient))
        return checkCalls(client, { url: service.url, writeKey }, `${line}`)
      })),
    )
  }
  await step('the types of the client', () => checkTypes(everything))
  await step('hookline events list', () => checkEvents(everything, service, users))
  await step('hookline doctor', () => everything.hookline('doctor', '--port', service.port))
  await step('stop', () => service.stop())
}

async function install(
  folder: string,
  line: 20 | 22 | 24,
  tarballs: readonly Tarball[],
): Promise<InstalledProject> {
  const project = join(folder, `node-${line}-${tarballs.length}-packages`)
  mkdirSync(project)
  return InstalledProject.install(project, await nodeOf(line), tarballs)
}

/** The packages that a user of the client library installs. */
function isOfClient({ name }: Tarball): boolean {
  return name === 'protocol' || name === 'client'
}

function lastLine(text: string): string {
  return text.split('\n').at(-1)!
}
