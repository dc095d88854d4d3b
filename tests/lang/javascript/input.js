'use strict'

/**
 * A small queue of jobs with retries.
 * Kept in memory only.
 */

var EventEmitter = require('node:events').EventEmitter
const util = require('node:util')
const { join, resolve: toPath } = require('path')
var debug = require('debug')('queue:jobs')
require('./polyfills')

/** How often a job is tried. */
const MAX_TRIES = 3

var queue = exports = module.exports = {}

/**
 * Makes a queue.
 *
 * @param {object} options
 */
function createQueue (options) {
  var running = false
  const tick = () => queue.next(options)

  function drain (done) {
    if (running) return done()
    setImmediate(tick)
  }

  return { drain, stop () { running = false }, size: function () { return jobs.length } }
}

// Adds one job
// to the end.
queue.push = function push (job) {
  if (!job) throw new TypeError('no job')
  this.jobs.push(job)
  this.emit('push', job)
  return this
}

queue.next = async (options) => {
  const job = await queue.take()
  debug('next %s', job.name)
  job.run().then(util.inspect).catch(exports.fail)
}

exports.fail = function fail (error) {
  console.error(error)
}

module.exports.create = createQueue

function Job (name, work) {
  EventEmitter.call(this)
  this.name = name
  this.cancel = function () {
    this.cancelled = true
  }
}
util.inherits(Job, EventEmitter)

Job.prototype.run = function () {
  return this.work(name => join(__dirname, name))
}

Job.prototype.retry = function * (times) {
  for (let i = 0; i < times; i++) yield this.run()
}

class Worker extends EventEmitter {
  static count = 0
  #busy = false
  onJob = (job) => {
    this.#start(job)
  }

  constructor (queue) {
    super()
    this.queue = queue
  }

  get busy () { return this.#busy }

  async #start (job) {
    await new Job(job.name, job).run()
    Worker.count++
  }

  static async * [Symbol.asyncIterator] () {
    yield * queue
  }
}

const handlers = {
  done: function (job) { return job.finish() },
  failed: (job) => exports.fail(job),
  'job:lost' (job) { queue.push(job) },
  limit: 10
}

queue.Worker = Worker
const { promisify } = util, later = promisify(setTimeout)

module.exports = queue

setInterval(() => {
  later(queue.next, 10)
}, 1000)
