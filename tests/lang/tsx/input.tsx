import { useEffect, type ReactNode } from 'react'
import { Panel } from '../ui'

interface BoardProps<T = unknown> {
  title: string
  items: T[]
  render(item: T): ReactNode
}

/** Shows items in columns. */
export function Board<T>({ title, items, render }: BoardProps<T>) {
  useEffect(() => {
    document.title = title
  }, [title])

  return (
    <Panel title={title}>
      {items.map((item) => (
        <Panel.Row key={String(item)}>{render(item)}</Panel.Row>
      ))}
      <EmptyState />
    </Panel>
  )
}

const EmptyState: React.FC = () => <p>nothing here</p>

export class Boundary extends React.Component<{ children: ReactNode }, { failed: boolean }> {
  state = { failed: false }

  static getDerivedStateFromError() {
    return { failed: true }
  }

  componentDidCatch = (error: Error): void => {
    report<Error>(error)
  }

  render() {
    return this.state.failed ? <EmptyState /> : this.props.children
  }
}

export const useBoard = (id: string) => useQuery(['board', id], () => api.boards.get(id))
