import { useNavigate, useSearch } from '@tanstack/react-router'

type UrlState<Name extends string> = Readonly<Partial<Record<Name, string>>>

type SetUrl<Name extends string> = (
  change: Readonly<Partial<Record<Name, string | undefined>>>,
  options?: { push?: boolean },
) => void

/**
 * The filters, tabs and drawers of a page, as query parameters. The setter merges changes; `undefined` and `''` remove a
 * parameter. It replaces the history entry, or adds one with `push`.
 */
export function useUrlState<Name extends string>(): readonly [UrlState<Name>, SetUrl<Name>] {
  return [useSearch({ strict: false }) as UrlState<Name>, useSetUrl<Name>()]
}

/** Sets the URL without subscribing to it, so that long lists do not re-render on each change. */
export function useSetUrl<Name extends string>(): SetUrl<Name> {
  const navigate = useNavigate()
  return (change, { push = false } = {}) => {
    void navigate({
      to: '.',
      replace: !push,
      resetScroll: false,
      search: (before: object) =>
        Object.fromEntries(
          Object.entries({ ...before, ...change }).filter(
            ([, value]) => value !== undefined && value !== '',
          ),
        ),
    } as unknown as Parameters<typeof navigate>[0])
  }
}
