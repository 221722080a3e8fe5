import { isJsonObject } from '@hookline/protocol'
import type { Command } from 'commander'
import { readFile } from 'node:fs/promises'
import { apiOf, withApiOptions } from '../../api/api-command.ts'
import type { ManagementApi } from '../../api/management-api.ts'
import { Failure } from '../../failure.ts'
import { outputOf } from '../../output/output-of.ts'

type ImportConfiguration = ManagementApi['importConfiguration']
type Diff = Awaited<ReturnType<ImportConfiguration>>

/** `hookline import-config` */
export function addImportConfig(program: Command): void {
  withApiOptions(program.command('import-config <file>'))
    .description('make sources and destinations as a document of `hookline export` says')
    .option('--dry-run', 'only say what would change')
    .action(async (file: string, { dryRun }: { dryRun?: true }, command: Command) => {
      // The service checks every field, and names each fault.
      const document = (await documentIn(file)) as Parameters<ImportConfiguration>[0]
      const query = dryRun ? { dryRun: 'true' as const } : {}
      const diff = await apiOf(command).importConfiguration(document, query)
      outputOf(command).data(diff, () => diffText(diff))
    })
}

async function documentIn(file: string): Promise<object> {
  const hint = 'Give a file that `hookline export` has written.'
  const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw new Failure('usage', `${file} cannot be read (${cause.code}).`, { cause, hint })
  })
  try {
    const document: unknown = JSON.parse(text)
    if (isJsonObject(document)) return document
  } catch {
    // Not quoted: it may hold secrets.
  }
  throw new Failure('usage', `${file} holds no JSON object.`, { hint })
}

function diffText({ dryRun, created, changed, unchanged, notInDocument }: Diff): string {
  const lines = [
    ...created.map((id) => `+ ${id}`),
    ...changed.map(({ id, fields }) => `~ ${id}: ${fields.join(', ')}`),
    ...notInDocument.map((id) => `  ${id} is not in the document and stays`),
  ]
  const verb = dryRun ? 'would be ' : ''
  const summary = `${created.length} ${verb}made, ${changed.length} ${verb}changed, ${unchanged.length} as they were.`
  return [...lines, summary].join('\n')
}
