/**
 * Whether this is a dry run. In `npm run release --dry-run`, without ` -- `, npm takes the flag for itself and passes it
 * on as a variable.
 * @throws {Error} if there is any other argument, such as a misspelt --dry-run
 */
export function isDryRun(args: readonly string[], environment: NodeJS.ProcessEnv): boolean {
  const unknown = args.filter((each) => each !== '--dry-run')
  if (unknown.length > 0)
    throw new Error(`Unknown arguments: ${unknown.join(' ')}. The only argument is --dry-run.`)
  return args.length > 0 || environment['npm_config_dry_run'] === 'true'
}
