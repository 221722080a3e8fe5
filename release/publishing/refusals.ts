/** The state of the repository that a release depends on. */
export interface ReleaseState {
  /** The version of the repository. */
  readonly version: string
  /** The version in each place that must have the same one. */
  readonly versions: Readonly<Record<string, string | undefined>>
  /** Uncommitted changes, as `git status --porcelain` prints them. */
  readonly changes: string
  /** The tags of the commit that is checked out. */
  readonly tags: readonly string[]
  readonly changelog: string
}

/** Why this state must not be published; empty if it may be. */
export function refusals({ version, versions, changes, tags, changelog }: ReleaseState): string[] {
  const others = Object.entries(versions).filter(([, each]) => each !== version)
  return [
    ...others.map(([place, each]) => `${place} is ${each ?? 'missing'}, not ${version}.`),
    ...(changes === '' ? [] : [`git has uncommitted changes:\n${changes}`]),
    ...(sectionOf(changelog, version) ? [] : [`CHANGELOG.md has no section “## ${version}”.`]),
    ...(tags.includes(`v${version}`) ? [] : [`The commit has no tag v${version}.`]),
  ]
}

/** Whether the changelog has a section for this version. A date may follow the version, but not `(unreleased)`. */
function sectionOf(changelog: string, version: string): boolean {
  const headings = changelog.split('\n').filter((line) => `${line} `.startsWith(`## ${version} `))
  return headings.some((heading) => !heading.endsWith('(unreleased)'))
}
