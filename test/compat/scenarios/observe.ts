import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { eventually } from '@hookline/testing/run/eventually'
import { makeCertificates } from '@hookline/testing/network/certificates'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { LibraryProgram } from '../harness/library-program.ts'
import type { StoredEvent, Observation } from '../harness/observation.ts'
import { RecordingProxy } from '../harness/recording-proxy.ts'
import type { TestedService, TestedSource } from '../harness/tested-service.ts'
import type { Library } from '../libraries/library.ts'
import type { ScenarioName } from './scenario-names.ts'
import { SCENARIOS, type Scenario } from './scenarios.ts'

/** Runs the program of a library in a scenario, with a new source. `folder` is the installation. */
export async function observe(
  library: Library,
  scenarioName: ScenarioName,
  { folder, service }: { readonly folder: string; readonly service: TestedService },
): Promise<Observation> {
  const calls = library.recorded?.(scenarioName) ?? SCENARIOS[scenarioName].calls
  const scenario = { ...SCENARIOS[scenarioName], calls }
  await using receiver = await openReceiver()
  using files = new DisposableFolder()
  const certificates = library.requiresTls ? makeCertificates() : undefined
  await using proxy = await RecordingProxy.open(service.port, certificates?.good)
  const source = await service.createSource(receiver.url)
  const settings = {
    COMPAT_ENDPOINT: proxy.url,
    COMPAT_WRITE_KEY: scenario.hasWrongKey ? 'wk_of_no_source' : source.writeKey,
    COMPAT_CALLS: await files.write('calls.jsonl', linesOf(scenario)),
    COMPAT_CA: await files.write('ca.pem', certificates?.ca ?? ''),
    COMPAT_BATCH: `${scenario.batch}`,
    COMPAT_GZIP: scenario.gzip ? '1' : '0',
    COMPAT_PAUSE_MS: `${scenario.pauseMs ?? 0}`,
    COMPAT_FOLDER: folder,
  }
  const unauthorized = await service.requestsWith(401)
  scenario.before?.({ service, proxy, receiver })
  const startedAt = Date.now()
  const program = new LibraryProgram(library.command(folder), settings)
  await scenario.during?.({ service, proxy, receiver })
  const output = await program.output
  await settled(service, source)
  return {
    library,
    scenario,
    scenarioName,
    output,
    exchanges: proxy.exchanges(),
    deliveries: receiver.requests,
    events: await eventsOf(service, source),
    startedAt,
    endedAt: Date.now(),
    countedUnauthorized: (await service.requestsWith(401)) - unauthorized,
  }
}

/** Waits until every event has an outcome, and no delivery is pending. */
async function settled(service: TestedService, source: TestedSource): Promise<void> {
  await eventually(async () => {
    const events = await eventsOf(service, source)
    const { destinationId } = source
    const pending = await service.api.listAll('deliveries', { destinationId, state: 'pending' })
    const undecided = events.filter(({ outcomes }) => Object.keys(outcomes).length === 0)
    expect([pending, undecided]).toEqual([[], []])
  }, 50)
}

function eventsOf({ api }: TestedService, { sourceId }: TestedSource): Promise<StoredEvent[]> {
  return api.listAll<StoredEvent>('events', { sourceId })
}

function linesOf({ calls }: Scenario): string {
  return calls.map((call) => `${JSON.stringify(call)}\n`).join('')
}

class DisposableFolder extends TemporaryFolder {
  async write(name: string, content: string): Promise<string> {
    const path = join(this.path, name)
    await writeFile(path, content)
    return path
  }
}
