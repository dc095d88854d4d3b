<?php

declare(strict_types=1);

namespace App\Catalog;

use App\Support\{Clock, Money as Price};
use Psr\Log\LoggerInterface;
use Symfony\Component\Cache as CacheComponent;
use function App\Support\slug;

require_once __DIR__ . '/helpers.php';
require 'legacy.php';

const PAGE_SIZE = 20;

/**
 * Finds products.
 */
interface Finder extends \Countable
{
    public function find(int $id): ?Product;
}

trait Logs
{
    protected LoggerInterface $logger;

    protected function log(string $message): void
    {
        $this->logger->info($message);
    }
}

enum Status: string implements HasLabel
{
    case Draft = 'draft';
    case Live = 'live';

    public function label(): string
    {
        return ucfirst($this->value);
    }
}

/** Keeps products in the database. */
#[Service]
final class Catalog extends Repository implements Finder, \IteratorAggregate
{
    use Logs;

    public const TABLE = 'products';
    private static ?self $instance = null;
    private array $loaded = [], $missing = [];

    public function __construct(private Connection $db, Clock $clock)
    {
        parent::__construct($db);
        $this->clock = $clock ?? new SystemClock();
    }

    // One product, from the cache where it is there.
    public function find(int $id): ?Product
    {
        $row = $this->db->select(self::TABLE)->where('id', $id)?->first();
        if (!$row) {
            $this->log(sprintf('no product %d', $id));
            return null;
        }
        return $this->loaded[$id] ??= Product::fromRow($row, new Price($row['price']));
    }

    private function forget(int $id): void
    {
        unset($this->loaded[$id]);
        static::$instance?->reset();
    }

    public function count(): int
    {
        return \count($this->loaded);
    }
}

function find_product(string $name, Finder $finder): Product
{
    $pick = function (Product $p) use ($name) {
        return slug($p->name) === $name;
    };
    return array_filter(iterator_to_array($finder), $pick)[0] ?? throw new NotFound($name);
}
