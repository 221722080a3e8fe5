import { useNavigate, useSearch } from '@tanstack/react-router'

type UrlState<Name extends string> = Readonly<Partial<Record<Name, string>>>

/**
 * The filters, tabs and drawers of a page, which are in its URL: a link to the page shows the same. Each is a text; an absent
 * one is undefined. The second element changes some of them: `undefined` and `''` remove one. A change replaces the entry of
 * the history, so that the way back leads to the page before; with `push`, it adds one.
 */
export function useUrlState<Name extends string>(): readonly [
  UrlState<Name>,
  (
    change: Readonly<Partial<Record<Name, string | undefined>>>,
    options?: { push?: boolean },
  ) => void,
] {
  const search = useSearch({ strict: false }) as UrlState<Name>
  const navigate = useNavigate()
  return [
    search,
    (change, { push = false } = {}) => {
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
    },
  ]
}
