import type { Request, Response } from 'express'
import { Injectable } from '@nestjs/common'
import db = require('./db')

/** Who may do what. */
export enum Role {
  Guest,
  Member = 'member',
}

export type UserId = string & { readonly brand: unique symbol }
type Handler<T> = (request: Request, value: T) => Promise<Response>

/** A user as the API shows one. */
export interface User extends Entity, Serializable<User> {
  id: UserId
  readonly role: Role
  rename(name: string): void
}

export abstract class Repository<T extends Entity> implements Store<T>, Disposable {
  protected abstract readonly table: string
  private cache = new Map<string, T>()

  constructor(private readonly db: Database, protected logger?: Logger) {}

  abstract toRow(entity: T): Row

  async find(id: string): Promise<T | undefined> {
    const row = await this.db.query<Row>(`select * from ${this.table}`, [id])
    return row ? this.fromRow(row) : undefined
  }

  private fromRow(row: Row): T {
    this.logger?.debug('row', row)
    return Object.assign(this.create!(), row) as T
  }

  handle: Handler<T> = async (request, value) => {
    return respond(request, value)
  }
}

// Users, kept in one table.
@Injectable()
export class UserRepository extends Repository<User> {
  table = 'users'

  find(id: string): Promise<User>
  find(id: string, strict: boolean): Promise<User>
  @Cached({ ttl: 60 })
  async find(id: string, strict = false): Promise<User> {
    const found = await super.find(id)
    if (!found && strict) throw new NotFound<User>(id)
    return found as User
  }
}

export namespace Permissions {
  export const ALL: Role[] = [Role.Guest, Role.Member]
  export function allows(user: User, role: Role): boolean {
    return ranks.indexOf(user.role) >= ranks.indexOf(role)
  }
}

declare module 'express' {
  interface Request {
    user?: User
  }
}

declare function track(event: string): void

const ranks: readonly Role[] = [Role.Guest, Role.Member]

export const respond = <T>(request: Request, value: T): Response => {
  track('respond')
  return request.res.json(value)
}

export default new UserRepository(db.connect())
