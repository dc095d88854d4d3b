// Package pool keeps workers that run jobs.
package pool

import (
	"context"
	"errors"
	"sync"

	log "github.com/rs/zerolog"
	_ "net/http/pprof"
)

// ErrClosed is returned once the pool is closed.
var ErrClosed = errors.New("pool: closed")

const (
	// DefaultSize is how many workers run.
	DefaultSize = 4
	maxQueue    = 128
)

type state int

const (
	idle state = iota
	busy, closing
)

// Job is what a worker runs.
type Job interface {
	Runner
	// Name is for the log.
	Name() string
	Run(ctx context.Context) error
}

type (
	// HandlerFunc handles one job.
	HandlerFunc func(ctx context.Context, job Job) error

	node[T any] struct {
		next  *node[T]
		value T
	}
)

// Pool runs jobs.
type Pool struct {
	sync.Mutex
	*Options
	log.Logger

	jobs    chan Job
	state   state
	onError func(error)
}

type Options struct{ Size int }

// New starts a pool.
func New(options *Options) *Pool {
	p := &Pool{Options: options, jobs: make(chan Job, maxQueue)}
	for i := 0; i < options.Size; i++ {
		go p.work(context.Background())
	}
	return p
}

/*
Submit adds a job. It blocks
while the queue is full.
*/
func (p *Pool) Submit(ctx context.Context, job Job) error {
	p.Lock()
	defer p.Unlock()
	if p.state == closing {
		return ErrClosed
	}
	select {
	case p.jobs <- job:
		p.Logger.Info().Str("job", job.Name()).Msg("submitted")
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

func (p *Pool) work(ctx context.Context) {
	for job := range p.jobs {
		if err := job.Run(ctx); err != nil {
			p.onError(err)
		}
	}
}

func (n node[T]) push(value T) *node[T] { return &node[T]{next: &n, value: value} }

var retry = func(job Job) error {
	return backoff(job, func() error { return job.Run(nil) })
}

func Map[T, U any](values []T, f func(T) U) []U {
	out := make([]U, 0, len(values))
	for _, v := range values {
		out = append(out, f(v))
	}
	return out
}
