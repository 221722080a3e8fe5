import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { api } from '../../api/client.ts'
import type { Source } from '@hookline/cli/management-client'
import { useHasRole } from '../../api/session.ts'
import { Button } from '../../design/controls/button.tsx'
import { Select } from '../../design/controls/field.tsx'
import { ErrorText } from '../../design/states.tsx'
import { IdText } from '../../design/texts/id-text.tsx'
import { shownText } from '../../format/shown-text.ts'
import { useUrlState } from '../../shell/url-state.ts'

interface SourceStepProps {
  readonly source: Source | undefined
  /** The sources to choose from. */
  readonly sources: readonly Source[]
}

export function SourceStep({ source, sources }: SourceStepProps): ReactElement {
  const [, setUrl] = useUrlState<'source'>()
  const client = useQueryClient()
  const canEdit = useHasRole('editor')
  const create = useMutation({
    mutationFn: () => api.createSource({ name: 'My app' }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['sources'] }),
  })
  if (source !== undefined)
    return (
      <>
        {sources.length > 1 && (
          <Select
            className="self-start"
            aria-label="Source"
            value={source.id}
            options={sources.map(({ id, name }) => [id, shownText(name, 60)])}
            onPick={(id) => setUrl({ source: id })}
          />
        )}
        <p>
          <strong>{shownText(source.name)}</strong> has the write key{' '}
          <IdText id={source.writeKeys[0]!.key} what="the write key" />
        </p>
      </>
    )
  if (!canEdit) return <p>No source yet. Ask an editor to create one.</p>
  return (
    <>
      <p className="text-ink-soft">
        A source is an app, website or server that sends events. Its write key is not secret.
      </p>
      <div>
        <Button variant="primary" isBusy={create.isPending} onClick={() => create.mutate()}>
          Create source
        </Button>
      </div>
      <ErrorText error={create.error} />
    </>
  )
}
