import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { api } from '../../../api/client.ts'
import { problemOf } from '../../../api/problem.ts'
import { useHasRole } from '../../../api/session.ts'
import { usePages } from '../../../api/use-pages.ts'
import { Button } from '../../../design/controls/button.tsx'
import { Field, TextArea } from '../../../design/controls/field.tsx'
import { Icon } from '../../../design/icon.tsx'
import { ListFooter } from '../../../design/lists/list-footer.tsx'
import { Cell, Row, Table } from '../../../design/lists/table.tsx'
import { Panel } from '../../../design/panel.tsx'
import { Empty, Loaded } from '../../../design/states.tsx'
import { toast } from '../../../design/dialogs/toasts.tsx'
import { UserLink } from '../../../domain/user-link.tsx'
import { countText } from '../../../format/figures.ts'
import { shownText } from '../../../format/shown-text.ts'
import { userIdsIn } from './user-ids-in.ts'

const PAGE_SIZE = 50

interface ListTabProps {
  readonly audienceId: string
  readonly space: string
}

export function ListTab({ audienceId, space }: ListTabProps): ReactElement {
  const canEdit = useHasRole('editor')
  const change = useListChange(audienceId)
  return (
    <div className="grid min-w-0 items-start gap-4 lg:grid-cols-[minmax(0,1fr)_22rem]">
      <Panel title="Users" isFlush>
        <Listed
          audienceId={audienceId}
          space={space}
          onRemove={canEdit ? (userId) => change.mutate({ remove: [userId] }) : undefined}
        />
      </Panel>
      {canEdit && (
        <Panel title="Edit list">
          <ChangeForm change={change} />
        </Panel>
      )}
    </div>
  )
}

function useListChange(audienceId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: { add?: string[]; remove?: string[] }) =>
      api.changeMembers(audienceId, body),
    onSuccess: async (_, { add, remove = [] }) => {
      toast(
        add
          ? `Added ${countText(add.length, 'user')}.`
          : `Removed ${countText(remove.length, 'user')}.`,
      )
      await client.invalidateQueries({ queryKey: ['audiences', audienceId] })
    },
  })
}

interface ChangeFormProps {
  readonly change: ReturnType<typeof useListChange>
}

function ChangeForm({ change }: ChangeFormProps): ReactElement {
  const [text, setText] = useState('')
  const userIds = userIdsIn(text)
  const button = (action: 'add' | 'remove', label: string): ReactElement => (
    <Button
      variant={action === 'add' ? 'primary' : 'plain'}
      disabled={userIds.length === 0}
      isBusy={change.isPending}
      onClick={() => change.mutate({ [action]: userIds }, { onSuccess: () => setText('') })}
    >
      {label}
    </Button>
  )
  const problem = change.error === null ? undefined : problemOf(change.error)
  const details = problem?.errors.map(({ message, hint }) => `${message} ${hint}`) ?? []
  return (
    <div className="flex flex-col gap-3">
      <Field
        label="userIds"
        hint={`One per line, up to 5,000; currently ${countText(userIds.length, 'user')}.`}
        fieldError={problem && [problem.message, ...details].join(' ')}
      >
        {(ids) => (
          <TextArea
            {...ids}
            rows={6}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        )}
      </Field>
      <div className="flex flex-wrap gap-2">
        {button('add', 'Add users')}
        {button('remove', 'Remove users')}
      </div>
    </div>
  )
}

interface ListedProps extends ListTabProps {
  readonly onRemove: ((userId: string) => void) | undefined
}

function Listed({ audienceId, space, onRemove }: ListedProps): ReactElement {
  const query = usePages({
    queryKey: ['audiences', audienceId, 'list'],
    fetch: (page) => api.listListedUsers(audienceId, { limit: PAGE_SIZE, ...page }),
  })
  return (
    <Loaded query={query}>
      {(users) =>
        users.length === 0 ? (
          <Empty title="The list is empty">
            Add users here, or import a file with <code>hookline audiences import</code>.
          </Empty>
        ) : (
          <>
            <Table label="Listed users" head={['User', ...(onRemove ? ['Remove'] : [])]}>
              {users.map(({ userId }) => (
                <Row key={userId}>
                  <Cell>
                    <UserLink userId={userId} space={space} />
                  </Cell>
                  {onRemove && (
                    <Cell>
                      <Button
                        variant="quiet"
                        className="min-h-6 px-1.5 py-0.5"
                        aria-label={`Remove ${shownText(userId, 80)}`}
                        onClick={() => onRemove(userId)}
                      >
                        <Icon name="cross" className="size-3" />
                      </Button>
                    </Cell>
                  )}
                </Row>
              ))}
            </Table>
            <ListFooter query={query} count={users.length} one="user" more="Show more" />
          </>
        )
      }
    </Loaded>
  )
}
