library shop.cart;

import 'dart:async';
import 'package:http/http.dart' as http;
import '../prices.dart' show Price, convert;
export 'src/item.dart';
part 'cart.g.dart';

/// How many items a cart holds.
const int maxItems = 100;

final _log = Logger('cart');

typedef Callback = void Function(Item item);

enum State { open, paid }

/// What a shop sells.
abstract class Item {
  String get name;
  double price(String currency);
}

mixin Counted on Item {
  int count = 1;
}

class Book extends Item with Counted implements Comparable<Book> {
  @override
  final String name;
  final int pages;

  Book(this.name, {this.pages = 0});

  Book.empty() : this('');

  factory Book.fromJson(Map<String, dynamic> json) => Book(json['name']);

  @override
  double price(String currency) => convert(pages * 0.1, currency);

  @override
  int compareTo(Book other) {
    return name.compareTo(other.name);
  }

  bool operator ==(Object other) => other is Book;
}

/// A cart.
class Cart<T extends Item> {
  final List<T> _items = [];
  static int created = 0;

  double get total => _items.fold(0, (sum, item) => sum + item.price('EUR'));

  set limit(int value) => _check(value);

  // Adds one.
  Future<void> add(T item) async {
    _check(_items.length);
    _items.add(item);
    await http.post(Uri.parse('https://example.org'), body: item.name);
  }

  void _check(int size) {
    if (size > maxItems) throw StateError('full');
  }
}

extension Cents on double {
  int toCents() => (this * 100).round();
}

Future<void> main(List<String> args) async {
  final cart = Cart<Book>();
  await cart.add(Book('A'));
  print(cart.total.toCents());
}

int _helper(int x) => x + 1;
