import { type Command, Option } from 'commander'
import { apiOf, withApiOptions } from '../../api/api-options.ts'
import { idOf } from '../../api/find-id.ts'
import type { ManagementApi } from '../../api/management-api.ts'
import { Failure } from '../../failure.ts'
import { fingerprintOf } from '../../import/fingerprint.ts'
import { ProgressDisplay } from '../../import/progress-display.ts'
import { RejectedFile } from '../../import/rejected-file.ts'
import { rejectedPath } from '../../import/run-import.ts'
import { confirm, withYesOption } from '../../options/confirmation.ts'
import { counted, durationText, grouped } from '../../output/figures.ts'
import { outputOf } from '../../output/output.ts'
import { stopSignal } from '../../service/stop-signal.ts'
import { ListImporter, type ListMode } from '../../user-list/list-importer.ts'
import { userParser } from '../../user-list/parse-user-line.ts'

const HELP = `
A CSV file has one user on each line: in the column that its first line calls
userId, user_id or id, or else in the first column. Commas separate columns, or
semicolons or tabs if the first line names a column. The file is UTF-8. A file
whose name ends with .ndjson or .jsonl has a text, or an object with a userId,
on each line.

It is safe to import a file again: users who are on the list stay there. Lines
that are wrong are written to <file>.rejected.ndjson with the reason.`

interface ListImportCommandOptions {
  readonly remove?: true
  readonly replace?: true
}

/** `hookline audiences import` */
export function addListImport(audiences: Command): void {
  withYesOption(withApiOptions(audiences.command('import <id> <file>')))
    .description('add the users of a CSV or NDJSON file to a manual audience')
    .option('--remove', 'remove them instead')
    .addOption(
      new Option('--replace', 'also remove the users who are not in the file').conflicts('remove'),
    )
    .addHelpText('after', HELP)
    .action(importList)
}

async function importList(
  given: string,
  file: string,
  options: ListImportCommandOptions,
  command: Command,
): Promise<void> {
  const startedAt = performance.now()
  const interrupted = new AbortController()
  void stopSignal().then(() => interrupted.abort())
  const api = apiOf(command)
  const id = await idOf(api, 'audience', given)
  if (options.replace) await confirm(command, () => replaceEffect(api, id, file))
  const { bytes: totalBytes } = await fingerprintOf(file)
  // The export that wrote it may have failed.
  if (totalBytes === 0) throw new Failure('usage', `${file} is empty, so nothing was changed.`)
  await using rejectedFile = await RejectedFile.open(rejectedPath(file), 0)
  const importer = new ListImporter({
    path: file,
    totalBytes,
    parse: userParser(file),
    mode: modeOf(options),
    rejectedFile,
    change: (change) => api.changeMembers(id, change),
    listed: () => listed(api, id),
  })
  const isComplete = await withProgress(importer, interrupted.signal)
  const elapsedMs = Math.round(performance.now() - startedAt)
  report(command, { importer, file, isComplete, elapsedMs, mode: modeOf(options) })
}

async function replaceEffect(api: ManagementApi, id: string, file: string): Promise<string> {
  const { name, size } = await api.getAudience(id)
  return `This removes every user from the audience ${JSON.stringify(name)} (${id}) who is not in ${file}. It has ${counted(size, 'member')}.`
}

async function withProgress(importer: ListImporter, signal: AbortSignal): Promise<boolean> {
  using _display = new ProgressDisplay(() => importer.progress)
  return importer.run(signal)
}

interface ListImportResult {
  readonly importer: ListImporter
  readonly file: string
  readonly isComplete: boolean
  readonly elapsedMs: number
  readonly mode: ListMode
}

/** @throws {Failure} if it was interrupted, or a line was rejected */
function report(command: Command, result: ListImportResult): void {
  const { importer, file, isComplete, elapsedMs, mode } = result
  const { rejected } = importer.progress
  const { users, removed } = importer.counts
  const document = {
    kind: 'result',
    complete: isComplete,
    mode,
    users,
    removed,
    rejected,
    elapsedMs,
  }
  outputOf(command).data(document, () => resultText(result))
  const again = 'To continue, run the same command again.'
  if (!isComplete) throw new Failure('interrupted', 'Interrupted.', { hint: again })
  if (rejected === 0) return
  const lines = rejected === 1 ? '1 line was' : `${grouped(rejected)} lines were`
  const kept = mode === 'replace' ? ' No user was removed, because a wrong line may be one.' : ''
  throw new Failure('partial', `${lines} rejected.${kept}`, {
    hint: `${rejectedPath(file)} lists them with line number and reason.`,
  })
}

function resultText({ importer, mode, elapsedMs }: ListImportResult): string {
  const { users, removed } = importer.counts
  const verb = mode === 'remove' ? 'Removed' : 'Added'
  const others = mode === 'replace' ? `, ${grouped(removed)} others removed` : ''
  const count = counted(users, 'user')
  return `${verb} ${count}${others}, in ${durationText(elapsedMs / 1000)}.`
}

function modeOf({ remove, replace }: ListImportCommandOptions): ListMode {
  if (remove) return 'remove'
  return replace ? 'replace' : 'add'
}

async function* listed(api: ManagementApi, id: string): AsyncGenerator<readonly string[]> {
  let cursor: string | undefined
  do {
    const page = await api.listListedUsers(id, { limit: 200, ...(cursor && { cursor }) })
    yield page.data.map(({ userId }) => userId)
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined)
}
