import { isJsonObject } from '@hookline/protocol'
import type { Command } from 'commander'
import { readFile } from 'node:fs/promises'
import { apiOf, withApiOptions } from '../../api/api-options.ts'
import type { ManagementApi } from '../../api/management-api.ts'
import { Failure } from '../../failure.ts'
import { outputOf } from '../../output/output.ts'

type ImportConfiguration = ManagementApi['importConfiguration']
type Diff = Awaited<ReturnType<ImportConfiguration>>

/** `hookline import-config` */
export function addImportConfig(program: Command): void {
  withApiOptions(program.command('import-config <file>'))
    .description(
      'create and change sources and destinations to match a document of `hookline export`',
    )
    .option('--dry-run', 'show what would change, but change nothing')
    .action(async (file: string, { dryRun }: { dryRun?: true }, command: Command) => {
      // The service validates the document, and reports every fault.
      const document = (await documentIn(file)) as Parameters<ImportConfiguration>[0]
      const query = dryRun ? { dryRun: 'true' as const } : {}
      const diff = await apiOf(command).importConfiguration(document, query)
      outputOf(command).data(diff, () => diffText(diff))
    })
}

async function documentIn(file: string): Promise<object> {
  const hint = 'Give a file that `hookline export` wrote.'
  const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw new Failure('usage', `Cannot read ${file} (${cause.code}).`, { cause, hint })
  })
  try {
    const document: unknown = JSON.parse(text)
    if (isJsonObject(document)) return document
  } catch {
    // The message quotes nothing: the file may contain secrets.
  }
  throw new Failure('usage', `${file} does not contain a JSON object.`, { hint })
}

function diffText({ dryRun, created, changed, unchanged, notInDocument }: Diff): string {
  const lines = [
    ...created.map((id) => `+ ${id}`),
    ...changed.map(({ id, fields }) => `~ ${id}: ${fields.join(', ')}`),
    ...notInDocument.map((id) => `  ${id} is not in the document, and is kept`),
  ]
  const verb = dryRun ? 'would be ' : ''
  const summary = `${created.length} ${verb}created, ${changed.length} ${verb}changed, ${unchanged.length} unchanged.`
  return [...lines, summary].join('\n')
}
