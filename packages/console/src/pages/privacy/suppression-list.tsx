import type { ReactElement } from 'react'
import { api } from '../../api/client.ts'
import type { Suppression } from '@hookline/cli/management-client'
import { usePages } from '../../api/use-pages.ts'
import { Button } from '../../design/controls/button.tsx'
import { SearchForm } from '../../design/controls/search-form.tsx'
import { Empty, Loaded } from '../../design/states.tsx'
import { shownText } from '../../format/shown-text.ts'
import { useUrlState } from '../../shell/url-state.ts'
import { SuppressionTable } from './suppression-table.tsx'

/** Users whose new events are not kept. */
export function SuppressionList(): ReactElement {
  const [{ search = '' }, setUrl] = useUrlState<'search'>()
  const query = usePages<Suppression>({
    queryKey: ['suppressions', search],
    fetch: async (page, signal) =>
      search === '' ? api.listSuppressions(page, { signal }) : suppressionsOf(search, signal),
  })
  return (
    <>
      <SearchForm
        key={search}
        label="userId or anonymousId"
        placeholder="userId or anonymousId, in full"
        search={search}
        onSearch={(text) => setUrl({ search: text })}
      />
      <Loaded query={query} lines={4}>
        {(suppressions) =>
          suppressions.length === 0 ? (
            <Empty
              title={search === '' ? 'Nobody is suppressed' : 'This id is not suppressed'}
              action={
                search !== '' && (
                  <Button onClick={() => setUrl({ search: undefined })}>
                    Show all suppressions
                  </Button>
                )
              }
            >
              {search === ''
                ? 'A deletion with “Suppress” leaves out the new events of a user, too.'
                : `New events of “${shownText(search, 80)}” are kept. Ids are compared exactly: case and spaces count.`}
            </Empty>
          ) : (
            <SuppressionTable suppressions={suppressions} />
          )
        }
      </Loaded>
      {query.hasNextPage && (
        <div className="p-4">
          <Button isBusy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            Show older suppressions
          </Button>
        </div>
      )}
    </>
  )
}

/** A text may be the id of a user, or an anonymous one. */
async function suppressionsOf(id: string, signal: AbortSignal) {
  const pages = await Promise.all([
    api.listSuppressions({ userId: id, limit: 100 }, { signal }),
    api.listSuppressions({ anonymousId: id, limit: 100 }, { signal }),
  ])
  return { data: pages.flatMap(({ data }) => data), nextCursor: null }
}
